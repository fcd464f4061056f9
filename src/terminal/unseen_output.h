// find_unseen_output: which part of a terminal stream cannot be seen any more. Pure.
//
// A program that prints a million lines moves a million lines through the screen, and an emulator
// takes its time for each. All but the last few thousand leave no trace: they have scrolled off the
// screen and out of the scrollback. What they do leave is the pen (SGR), the title and the
// character set; that is given back as `traces`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sf::waypoint {

struct UnseenOutput {
  std::size_t begin = 0;  // before it, the stream did something that is not just printing
  std::size_t end = 0;    // from here on it counts; always the start of a line
  std::string traces;     // has, in place of [begin, end), the same effect
};

// Finds the longest part of `stream` in which, as in all after it, there is only text, line feeds
// and what acts within a line, and which is followed by at least `rows` line feeds, a CR LF and
// `kept` more line feeds. With the screen's rows the CR LF happens on its bottom row, whatever was
// left out: from there on, all is the same. So `kept` must cover the screen and the scrollback.
// Holds if at `begin` no sequence is unfinished, the primary screen is shown and no margins are
// set.
std::optional<UnseenOutput> find_unseen_output(std::string_view stream, std::size_t rows,
                                               std::size_t kept);

}  // namespace sf::waypoint
