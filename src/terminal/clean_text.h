// clean_text: converts a terminal's byte stream to the plain UTF-8 text that a reader would see.
//
// Escape sequences and controls are removed, but their effect on the current line is applied: text
// after a CR overwrites the line (progress bars); BS and CSI C D G ` a move the cursor; CSI K P X @
// erase, delete and insert. TAB remains a tab, CR LF becomes LF, invalid UTF-8 becomes U+FFFD.
// Lines of text cannot show vertical motion, so it is dropped; use Screen for that. No newline is
// added or removed, and no text is trimmed. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/edited_line.h"
#include "terminal/escape_parser.h"

namespace sf::waypoint {

std::string clean_text(std::string_view raw);

// Cleans a stream in pieces: the concatenated results of feed() and finish() equal clean_text() of
// the whole stream, independent of the cuts. feed() returns the finished lines; an unfinished line
// is returned when it ends or exceeds kMaxLine.
class TextCleaner {
 public:
  // A line of this length is returned unfinished; later bytes can no longer change it. This limits
  // memory and time.
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
