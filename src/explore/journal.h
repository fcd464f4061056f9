// The journal of a run: one line of JSON for each change of its tree, so that reading it again
// gives the same tree. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "explore/search_tree.h"
#include "wire/json.h"

namespace sf::explore {

wire::Json to_json(const Usage& usage);

// Each is one line with its end.
std::string root_line(const std::string& state);
std::string node_line(const SearchNode& node);
std::string grade_line(NodeIndex index, const Grade& grade, const Usage& usage);
std::string commit_line(NodeIndex index, const Usage& usage);
// On what did not become a node.
std::string spent_line(NodeIndex index, const Usage& usage);

// The same for a note of at most `most` bytes: what is too long for it is in the journal alone.
// Requires: `most` is more than 4096.
std::string node_note(const SearchNode& node, std::size_t most);
std::string grade_note(const Grade& grade, std::size_t most);

// A last line that was cut off is as if it had not been written. kCorrupt names the line of
// anything else that makes no sense.
Result<SearchTree> read_journal(std::string_view text);

}  // namespace sf::explore
