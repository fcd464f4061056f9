// EditedLine: one line of text with a cursor. Applies carriage returns, backspaces and sequences
// that act within the line. Columns are a terminal's cells: a wide character has two, a combining
// mark none. A tab is one column. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/glyph_widths.h"

namespace sf::waypoint {

class EditedLine {
 public:
  // A cursor motion ends at this column or at the end of the text, whichever is further right.
  static constexpr std::size_t kMaxReach = 4096;

  std::size_t column() const { return column_; }
  bool is_blank() const { return length_ == 0 && column_ == 0; }

  void write_ascii(std::string_view run);
  void write_code_point(std::string_view utf8);
  void move_to(std::size_t column);

  void erase_to_end();
  void erase_to_cursor();  // includes the cursor's own column
  void erase_all();
  void erase_characters(std::size_t count);
  void delete_characters(std::size_t count);
  void insert_blanks(std::size_t count);

  // Appends the text to `out` and starts over with an empty line.
  void release_into(std::string& out);

 private:
  static constexpr std::size_t kMaxMarks = 32;  // bytes of marks on one character; drops more

  void pad_to_cursor();
  void split();
  void truncate(std::size_t length);
  void add_mark(std::string_view utf8);
  void put(std::string_view text, std::size_t width);
  void break_at(std::size_t column);
  void fill(std::size_t begin, std::size_t end);

  // Text that only grows at its end is kept as UTF-8 in bytes_. At the first change in the middle
  // of a line that is not pure ASCII, split() moves the text to cells_, with one element per cell:
  // a character with its marks; empty for the right half of a wide character. cells_ is used iff
  // is_split_.
  std::string bytes_;
  std::vector<std::string> cells_;
  GlyphWidths widths_;
  bool is_ascii_ = true;
  bool is_split_ = false;
  std::size_t length_ = 0;  // in cells
  std::size_t column_ = 0;
  std::size_t marks_ = 0;  // bytes of the marks at the end of bytes_
};

}  // namespace sf::waypoint
