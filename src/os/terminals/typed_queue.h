// Typed input that no program has read yet: take it out of a terminal's queue and put it back. Used
// for the terminal of a branch (os/terminal.h) and for terminals made by programs in the branch
// (engine/native/files/pty_data.h).
//
// The queue holds lines that end with a newline or an end of file (Ctrl-D), followed by an
// unfinished line.
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

// Appends the finished lines. Requires: the terminal is in canonical mode (ICANON), and no other
// process reads from it.
void read_lines(int slave, TypedAhead& typed);
// Waits until `bytes` bytes can be read. A kernel thread passes bytes from the master to the slave,
// under the settings at that moment. Returns false at the deadline, or if the kernel does not tell.
bool await_readable(int slave, std::size_t bytes, Deadline deadline);

// Pure from here on.

// A character other than newline that `bytes` does not have: it can stand for an end of file.
char unused_character(std::string_view bytes);
// The bytes to write to the master; `end` represents each end of file.
std::string with_ends(const TypedAhead& typed, char end);
// The number of its bytes that a read can return.
std::size_t readable_bytes(const TypedAhead& typed, bool is_canonical);

// Settings under which the terminal passes each byte written to the master unchanged and does not
// echo it: the bytes were translated and echoed when they were typed. Works on termios and on the
// kernel's termios2 (their headers cannot be included together). c_iflag is kQuietInput, c_lflag
// keeps only ICANON, and `end` is the only special character in c_cc.
inline constexpr unsigned kQuietInput = 0;
template <typename Characters>
void set_only_meaning(Characters& characters, std::size_t min, std::size_t eof, char end) {
  for (auto& character : characters) character = 0;  // _POSIX_VDISABLE
  characters[min] = 1;
  characters[eof] = static_cast<unsigned char>(end);
}

// A TypedAhead as lines. Each line has its newline, or none if it ended with an end of file; `rest`
// is the unfinished line.
struct TypedLines {
  std::vector<std::string> lines;
  std::string rest;
  bool operator==(const TypedLines&) const = default;
};
TypedLines split_lines(const TypedAhead& typed);
TypedAhead join_lines(const TypedLines& typed);

}  // namespace sf::os
