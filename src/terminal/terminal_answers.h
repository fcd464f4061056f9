// answer_query: the bytes that a terminal types as the answer to a program's query. The answers are
// those of xterm, which TERM names, as far as this emulator supports the feature. Pure.
//
// Not answered: queries for the title and the clipboard, because their answers would contain text
// of other programs. xterm by default does not answer them either.
#pragma once

#include <string>
#include <vector>

#include "terminal/emulator.h"
#include "terminal/query_scanner.h"

namespace sf::waypoint {

// Empty: no answer. Requires: everything before the query was fed to `emulator`.
std::string answer_query(const TerminalQuery& query, const Emulator& emulator, WindowSize size);

// Removes the unread answers, whole or partly read, from `queue`, the typed and unread bytes.
std::string without_answers(std::string queue, const std::vector<std::string>& answers);

}  // namespace sf::waypoint
