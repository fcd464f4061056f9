// What was typed on a terminal and not read yet: how it is taken out of the terminal's queue and
// put back. For the terminal of a branch (os/terminal.h) and for those that programs inside have
// made (engine/native/files/pty_data.h).
//
// The queue holds lines that are ended by a newline or by an end of file (Ctrl-D), and then what
// has no end yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace sf::os {

struct TypedAhead {
  std::string bytes;
  // Positions in `bytes` before which an end of file was typed (Ctrl-D); increasing.
  std::vector<std::size_t> ends;

  bool empty() const { return bytes.empty() && ends.empty(); }
  bool operator==(const TypedAhead&) const = default;
};

// Appends the ended lines. Requires: the terminal collects lines (ICANON), and nobody else reads.
void read_lines(int slave, TypedAhead& typed);
// Waits until so many bytes can be read: what was written to the master passes through a thread of
// the kernel's, which goes by the settings of that moment. False: it took too long, or the kernel
// does not tell.
bool await_readable(int slave, std::size_t bytes, Deadline deadline);

// Pure from here on.

// A character other than newline that `bytes` does not have: it can stand for an end of file.
char unused_character(std::string_view bytes);
// What is to be written: `end` stands for each end of file.
std::string with_ends(const TypedAhead& typed, char end);
// How many of its bytes can be read.
std::size_t readable_bytes(const TypedAhead& typed, bool is_canonical);

// Settings under which each byte that is written to the master passes as it is and is not echoed:
// it went through all of this before. Of a termios or the kernel's termios2, whose headers exclude
// each other: c_iflag is kQuietInput, of c_lflag only ICANON stays, and among the characters (c_cc)
// only `end` has a meaning.
inline constexpr unsigned kQuietInput = 0;
template <typename Characters>
void set_only_meaning(Characters& characters, std::size_t min, std::size_t eof, char end) {
  for (auto& character : characters) character = 0;  // _POSIX_VDISABLE
  characters[min] = 1;
  characters[eof] = static_cast<unsigned char>(end);
}

// The same as lines, each with its newline or without one if an end of file has ended it; and the
// rest.
struct TypedLines {
  std::vector<std::string> lines;
  std::string rest;
  bool operator==(const TypedLines&) const = default;
};
TypedLines split_lines(const TypedAhead& typed);
TypedAhead join_lines(const TypedLines& typed);

}  // namespace sf::os
