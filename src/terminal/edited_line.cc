#include "terminal/edited_line.h"

#include <algorithm>

#include "terminal/utf8.h"

namespace sf::waypoint {

void EditedLine::write_ascii(std::string_view run) {
  pad_to_cursor();
  if (!is_ascii_ && column_ < length_) split();
  if (is_split_) {
    for (const char& c : run) put(std::string_view(&c, 1), 1);
    return;
  }
  const std::size_t overwritten = std::min(run.size(), length_ - column_);
  if (overwritten == 0) {
    bytes_.append(run);
  } else {
    bytes_.replace(column_, overwritten, run);
  }
  marks_ = 0;
  length_ += run.size() - overwritten;
  column_ += run.size();
}

void EditedLine::write_code_point(std::string_view utf8) {
  pad_to_cursor();
  std::size_t at = 0;
  const int width = widths_.of(next_code_point(utf8, at));
  if (column_ < length_) split();
  if (width == 0) return add_mark(utf8);
  if (is_split_) return put(utf8, static_cast<std::size_t>(width));
  bytes_.append(utf8);
  is_ascii_ = false;
  marks_ = 0;
  column_ += static_cast<std::size_t>(width);
  length_ = column_;
}

// Adds the mark to the character before the cursor. At the start of a line the mark is dropped.
void EditedLine::add_mark(std::string_view utf8) {
  if (column_ == 0) return;
  if (!is_split_) {
    if (marks_ + utf8.size() > kMaxMarks) return;
    bytes_.append(utf8);
    is_ascii_ = false;
    marks_ += utf8.size();
    return;
  }
  std::size_t lead = column_ - 1;
  if (cells_[lead].empty() && lead > 0) --lead;
  if (cells_[lead].size() + utf8.size() <= kMaxMarks) cells_[lead] += utf8;
}

void EditedLine::move_to(std::size_t column) {
  column_ = std::min(column, std::max(length_, kMaxReach));
}

void EditedLine::erase_to_end() { truncate(column_); }

void EditedLine::erase_to_cursor() {
  if (column_ + 1 >= length_) return truncate(0);  // only blanks at the end would be left
  fill(0, column_ + 1);
}

void EditedLine::erase_all() { truncate(0); }

void EditedLine::erase_characters(std::size_t count) {
  if (column_ >= length_) return;
  if (count >= length_ - column_) return truncate(column_);
  fill(column_, column_ + count);
}

void EditedLine::delete_characters(std::size_t count) {
  if (column_ >= length_) return;
  if (count >= length_ - column_) return truncate(column_);
  if (!is_ascii_) split();
  if (is_split_) {
    break_at(column_);
    break_at(column_ + count);
    const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(column_);
    cells_.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  } else {
    bytes_.erase(column_, count);
  }
  length_ -= count;
}

void EditedLine::insert_blanks(std::size_t count) {
  if (column_ >= length_) return;
  if (!is_ascii_) split();
  // A terminal would push text out at its right edge. Here the line grows, up to a limit.
  const std::size_t limit = std::max(length_, kMaxReach);
  count = std::min(count, limit - column_);
  if (is_split_) {
    break_at(column_);
    cells_.insert(cells_.begin() + static_cast<std::ptrdiff_t>(column_), count, " ");
  } else {
    bytes_.insert(column_, count, ' ');
  }
  length_ += count;
  if (length_ > limit) truncate(limit);
}

void EditedLine::release_into(std::string& out) {
  for (const std::string& cell : cells_) out += cell;
  out += bytes_;
  truncate(0);
  column_ = 0;
}

void EditedLine::pad_to_cursor() {
  if (column_ <= length_) return;
  if (is_split_) {
    cells_.resize(column_, " ");
  } else {
    bytes_.append(column_ - length_, ' ');
  }
  marks_ = 0;
  length_ = column_;
}

void EditedLine::split() {
  if (is_split_) return;
  cells_.clear();
  cells_.reserve(length_);
  for (std::size_t at = 0; at < bytes_.size();) {
    const std::size_t begin = at;
    const int width = widths_.of(next_code_point(bytes_, at));
    const std::string_view character = std::string_view(bytes_).substr(begin, at - begin);
    if (width == 0) {
      if (cells_.empty()) continue;
      std::size_t lead = cells_.size() - 1;
      if (cells_[lead].empty() && lead > 0) --lead;
      cells_[lead] += character;
      continue;
    }
    cells_.emplace_back(character);
    if (width == 2) cells_.emplace_back();
  }
  cells_.resize(length_, " ");
  bytes_.clear();
  is_split_ = true;
}

// Requires: is_split_.
void EditedLine::put(std::string_view text, std::size_t width) {
  break_at(column_);
  break_at(column_ + width);
  if (column_ + width > cells_.size()) cells_.resize(column_ + width);
  cells_[column_] = text;
  if (width == 2) cells_[column_ + 1].clear();
  column_ += width;
  length_ = std::max(length_, column_);
}

// Replaces a wide character with one cell on each side of `column` by blanks. Requires: is_split_.
void EditedLine::break_at(std::size_t column) {
  if (column == 0 || column >= cells_.size() || !cells_[column].empty()) return;
  cells_[column - 1] = " ";
  cells_[column] = " ";
}

void EditedLine::fill(std::size_t begin, std::size_t end) {
  if (!is_ascii_) split();
  if (is_split_) {
    break_at(begin);
    break_at(end);
    std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(begin),
              cells_.begin() + static_cast<std::ptrdiff_t>(end), " ");
  } else {
    std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
              bytes_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }
}

void EditedLine::truncate(std::size_t length) {
  if (length == 0) {
    bytes_.clear();
    cells_.clear();
    is_ascii_ = true;
    is_split_ = false;
    marks_ = 0;
    length_ = 0;
    return;
  }
  if (length >= length_) return;
  if (!is_ascii_) split();
  if (is_split_) {
    break_at(length);
    cells_.resize(length);
  } else {
    bytes_.resize(length);
  }
  length_ = length;
}

}  // namespace sf::waypoint
