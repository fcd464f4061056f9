// answer_query: what a terminal types when a program asks it something. As xterm answers, which is
// the terminal that TERM names, for what this emulator follows. Pure.
//
// Not answered: titles and the clipboard, which would type what another program chose; xterm
// does not answer these either unless told to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "terminal/emulator.h"
#include "terminal/query_scanner.h"

namespace sf::waypoint {

// Empty: none. Requires: `emulator` has seen all that came before the query.
std::string answer_query(const TerminalQuery& query, const Emulator& emulator, WindowSize size);

// `queue`, what was typed and not read, without the answers that nobody read, whole or in part.
// `ends`: positions in `queue` before which an end of file stands; they move with the text. When a
// program goes back to lines, the kernel ends what is unread: an end at an answer goes with it.
std::string without_answers(std::string queue, std::vector<std::size_t>& ends,
                            const std::vector<std::string>& answers);

}  // namespace sf::waypoint
