// Formats the daemon's answers for a model: the result first, then remarks in [brackets]. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli::mcp {

// "session s3 (work): waypoint over /, branches: main on n0"
std::string session_text(const wire::Json& session);
std::string sessions_text(const wire::Json& answer);
// The output, then "[exit code 0, 12 ms]" and remarks.
std::string exec_text(const wire::Json& seen);
// Standard output, "[standard error]" and standard error; then as exec_text.
std::string run_text(const wire::Json& seen);
std::string snapshot_text(const wire::Json& arguments, const wire::Json& report);
std::string restore_text(const wire::Json& arguments, const wire::Json& report);
std::string fork_text(const wire::Json& arguments, const wire::Json& report);
std::string tree_text(const wire::Json& tree);
std::string diff_text(const wire::Json& diff);
std::string removed_text(const wire::Json& report);
std::string file_text(const wire::Json& file);

// A tree without the daemon's internal fields; commands are shortened.
wire::Json short_tree(const wire::Json& tree);

}  // namespace sf::cli::mcp
