// clean_text: what a person would read in a terminal's byte stream, as plain UTF-8 text.
//
// Escape sequences and controls go; what they do inside the current line is done: CR and text after
// it overwrite (progress bars), BS and CSI C D G ` a move, CSI K P X @ erase, delete and insert.
// TAB stays a tab, CR LF becomes LF, invalid UTF-8 becomes U+FFFD. Vertical motion cannot be told
// in lines of text and is dropped; see Screen for that. No newline is added or removed, nothing is
// trimmed. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/edited_line.h"
#include "terminal/escape_parser.h"

namespace sf::waypoint {

std::string clean_text(std::string_view raw);

// The same for a stream in pieces: the pieces' results and finish(), concatenated, are clean_text()
// of the whole, wherever it was cut. Finished lines come out at once, an unfinished one when it
// ends or exceeds kMaxLine.
class TextCleaner {
 public:
  // A line this long is given out as it is: what comes later can no longer change it. Bounds memory
  // and time.
  static constexpr std::size_t kMaxLine = 16384;

  std::string feed(std::string_view raw);
  std::string finish();

 private:
  friend class EscapeParser;  // calls the on_ functions
  void on_ascii(std::string_view run);
  void on_code_point(std::string_view utf8);
  void on_control(char c);
  void on_escape(std::string_view /*intermediates*/, char /*final*/) {}
  void on_csi(std::string_view body, char final);
  void on_string(char /*introducer*/, std::string_view /*payload*/) {}

  std::size_t copy_plain_lines(std::string_view raw);
  void release_if_long();

  EscapeParser parser_;
  EditedLine line_;
  std::string out_;
};

}  // namespace sf::waypoint
