// The journal of a run: one line of JSON for each change of its tree. Reading it rebuilds the same
// tree. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "explore/search_tree.h"
#include "wire/json.h"

namespace sf::explore {

wire::Json to_json(const Usage& usage);

// Each function returns one line, including its line end.
std::string root_line(const std::string& state);
std::string node_line(const SearchNode& node);
std::string grade_line(NodeIndex index, const Grade& grade, const Usage& usage);
std::string commit_line(NodeIndex index, const Usage& usage);
// The cost of a step that added no node.
std::string spent_line(NodeIndex index, const Usage& usage);

// The same content as a note of at most `most` bytes; a text that is too long is only in the
// journal. Requires: `most` > 4096.
std::string node_note(const SearchNode& node, std::size_t most);
std::string grade_note(const Grade& grade, std::size_t most);

// Ignores an incomplete last line. kCorrupt names the first other malformed line.
Result<SearchTree> read_journal(std::string_view text);

}  // namespace sf::explore
