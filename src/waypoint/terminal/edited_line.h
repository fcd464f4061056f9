// EditedLine: one line of text with a cursor, as carriage returns, backspaces and in-line sequences
// leave it. Columns are code points; a tab is one column. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sf::waypoint {

class EditedLine {
 public:
  // A cursor motion goes no further right than this, or than the text.
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
  void pad_to_cursor();
  void widen();
  void truncate(std::size_t length);

  // Text that only grows at its end stays UTF-8; as soon as something is changed in the middle of a
  // line that is not pure ASCII, it moves to one element per code point. `wide_` is in use iff
  // is_wide_.
  std::string bytes_;
  std::u32string wide_;
  bool is_ascii_ = true;
  bool is_wide_ = false;
  std::size_t length_ = 0;
  std::size_t column_ = 0;
};

}  // namespace sf::waypoint
