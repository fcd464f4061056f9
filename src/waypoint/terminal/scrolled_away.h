// find_scrolled_away: which part of a terminal stream cannot be seen any more. Pure.
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

struct ScrolledAway {
  std::size_t begin = 0;  // before it, the stream did something that is not just printing
  std::size_t end = 0;    // from here on it counts; always the start of a line
  std::string traces;     // has, in place of [begin, end), the same effect
};

// Finds the longest part of `stream` that is followed by at least `lines` line feeds and in which,
// as in all after it, there is only text, line feeds and what acts within a line. Holds if at
// `begin` no sequence is unfinished, the primary screen is shown and no margins are set, and if
// `lines` covers the scrollback and twice the screen (once to get to its bottom, once to fill it).
std::optional<ScrolledAway> find_scrolled_away(std::string_view stream, std::size_t lines);

}  // namespace sf::waypoint
