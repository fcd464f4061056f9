// find_unseen_output: finds the part of a terminal stream that is no longer visible. Pure.
//
// If a program prints a million lines, emulating each of them is slow. All except the last few
// thousand have scrolled off the screen and out of the scrollback. The remaining effects of these
// lines are the pen (SGR), the title and the character set, which are returned as `traces`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sf::waypoint {

struct UnseenOutput {
  std::size_t begin = 0;  // end of the last sequence that does more than print
  std::size_t end = 0;    // the visible rest starts here, at the start of a line
  std::string traces;     // has the same effect as [begin, end)
};

// Finds the longest part of `stream` for which both conditions hold:
// - It and the rest of the stream contain only text, line feeds and sequences that act within a
//   line.
// - It is followed by at least `rows` line feeds, a CR LF and `kept` more line feeds.
// If `rows` is the number of rows of the screen, the CR LF is on the bottom row even if the part
// was omitted, so the result after it is the same. `kept` must cover the screen and the scrollback.
// Requires for the result to be correct: at `begin`, no sequence is unfinished, the primary screen
// is shown and no margins are set.
std::optional<UnseenOutput> find_unseen_output(std::string_view stream, std::size_t rows,
                                               std::size_t kept);

}  // namespace sf::waypoint
