// answer_query: the bytes that a terminal types as the answer to a program's query. The answers are
// those of xterm, which TERM names, as far as this emulator supports the feature. Pure.
//
// Not answered: queries for the title and the clipboard, because their answers would contain text
// of other programs. xterm by default does not answer them either.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "terminal/emulator.h"
#include "terminal/query_scanner.h"

namespace sf::waypoint {

// Empty: no answer. Requires: everything before the query was fed to `emulator`.
std::string answer_query(const TerminalQuery& query, const Emulator& emulator, WindowSize size);

// Removes the unread answers, whole or partly read, from `queue`, the typed and unread bytes.
// `ends` are the positions in `queue` before which an end of file was typed; they move with the
// text. When a program switches back to canonical mode, the kernel ends a line after the unread
// bytes. If that end is at an answer, it is removed, too.
std::string without_answers(std::string queue, std::vector<std::size_t>& ends,
                            const std::vector<std::string>& answers);

}  // namespace sf::waypoint
