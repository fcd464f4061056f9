#include "waypoint/terminal/edited_line.h"

#include <algorithm>

#include "waypoint/terminal/utf8.h"

namespace sf::waypoint {

void EditedLine::write_ascii(std::string_view run) {
  pad_to_cursor();
  if (!is_wide_ && !is_ascii_ && column_ < length_) widen();
  const std::size_t overwritten = std::min(run.size(), length_ - column_);
  if (is_wide_) {
    wide_.replace(column_, overwritten, std::u32string(run.begin(), run.end()));
  } else if (overwritten == 0) {
    bytes_.append(run);
  } else {
    bytes_.replace(column_, overwritten, run);
  }
  length_ += run.size() - overwritten;
  column_ += run.size();
}

void EditedLine::write_code_point(std::string_view utf8) {
  pad_to_cursor();
  if (!is_wide_ && column_ < length_) widen();
  if (is_wide_) {
    std::size_t at = 0;
    const char32_t c = next_code_point(utf8, at);
    if (column_ < length_) {
      wide_[column_] = c;
    } else {
      wide_ += c;
    }
  } else {
    bytes_.append(utf8);
    is_ascii_ = false;
  }
  ++column_;
  length_ = std::max(length_, column_);
}

void EditedLine::move_to(std::size_t column) {
  column_ = std::min(column, std::max(length_, kMaxReach));
}

void EditedLine::erase_to_end() { truncate(column_); }

void EditedLine::erase_to_cursor() {
  if (column_ + 1 >= length_) return truncate(0);  // nothing is left but blanks at the end
  erase_characters(0);                             // widens if needed
  if (is_wide_) {
    std::fill_n(wide_.begin(), column_ + 1, U' ');
  } else {
    std::fill_n(bytes_.begin(), column_ + 1, ' ');
  }
}

void EditedLine::erase_all() { truncate(0); }

void EditedLine::erase_characters(std::size_t count) {
  if (column_ >= length_) return;
  if (count >= length_ - column_) return truncate(column_);
  if (!is_wide_ && !is_ascii_) widen();
  if (is_wide_) {
    std::fill_n(wide_.begin() + static_cast<std::ptrdiff_t>(column_), count, U' ');
  } else {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(column_), count, ' ');
  }
}

void EditedLine::delete_characters(std::size_t count) {
  if (column_ >= length_) return;
  if (count >= length_ - column_) return truncate(column_);
  if (!is_wide_ && !is_ascii_) widen();
  if (is_wide_) {
    wide_.erase(column_, count);
  } else {
    bytes_.erase(column_, count);
  }
  length_ -= count;
}

void EditedLine::insert_blanks(std::size_t count) {
  if (column_ >= length_) return;
  if (!is_wide_ && !is_ascii_) widen();
  // A terminal would push text out at its right edge; here the line may grow, but not without end.
  const std::size_t limit = std::max(length_, kMaxReach);
  count = std::min(count, limit - column_);
  if (is_wide_) {
    wide_.insert(column_, count, U' ');
  } else {
    bytes_.insert(column_, count, ' ');
  }
  length_ += count;
  if (length_ > limit) truncate(limit);
}

void EditedLine::release_into(std::string& out) {
  if (is_wide_) {
    for (const char32_t c : wide_) append_utf8(out, c);
  } else {
    out.append(bytes_);
  }
  bytes_.clear();
  wide_.clear();
  is_ascii_ = true;
  is_wide_ = false;
  length_ = 0;
  column_ = 0;
}

void EditedLine::pad_to_cursor() {
  if (column_ <= length_) return;
  if (is_wide_) {
    wide_.append(column_ - length_, U' ');
  } else {
    bytes_.append(column_ - length_, ' ');
  }
  length_ = column_;
}

void EditedLine::widen() {
  wide_.clear();
  wide_.reserve(length_);
  for (std::size_t at = 0; at < bytes_.size();) wide_ += next_code_point(bytes_, at);
  bytes_.clear();
  is_wide_ = true;
}

void EditedLine::truncate(std::size_t length) {
  if (length >= length_) return;
  if (length > 0 && !is_wide_ && !is_ascii_) widen();
  if (length == 0) {
    bytes_.clear();
    wide_.clear();
    is_ascii_ = true;
    is_wide_ = false;
  } else if (is_wide_) {
    wide_.resize(length);
  } else {
    bytes_.resize(length);
  }
  length_ = length;
}

}  // namespace sf::waypoint
