// Emulator: reads the state of libvterm.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "terminal/emulator.h"
#include "terminal/utf8.h"

namespace sf::waypoint {
namespace {

// libvterm's mark in the right cell of a wide character.
constexpr std::uint32_t kSecondHalf = 0xffffffff;

}  // namespace

ScreenText Emulator::text() {
  SF_CHECK(!is_spent_);
  ScreenText text;
  for (const Row& row : read_grid()) text.rows.push_back(plain_line(row));
  const VTermPos cursor = cursor_of(vterm_.get());
  text.cursor_row = cursor.row;
  text.cursor_col = cursor.col;
  text.cursor_visible = is_cursor_visible_;
  text.alternate_screen = is_alternate_;
  text.title = title_;
  text.size = size_;
  return text;
}

ScreenSnapshot Emulator::take_snapshot() && {
  SF_CHECK(!is_spent_);
  is_spent_ = true;
  ScreenSnapshot snapshot;
  snapshot.size = size_;
  snapshot.modes = modes_;
  snapshot.colours = colours_;
  snapshot.title = title_;
  snapshot.unfinished = parser_.unfinished();
  snapshot.cursor = read_cursor();
  if (is_last_text_) snapshot.last_text = last_glyph_;
  write_now("\x1b[?5l");  // libvterm returns cells as displayed; reverse video would change their
                          // colours
  Grid shown = read_grid();
  snapshot.is_wrap_pending = find_wrap_pending();
  if (is_alternate_) {
    snapshot.alternate = std::move(shown);
    VTermValue off{};
    vterm_state_set_termprop(state_, VTERM_PROP_ALTSCREEN, &off);
    shown = read_grid();
  }
  snapshot.primary = std::move(shown);
  snapshot.continued = is_alternate_ ? primary_continued_ : continued_;
  snapshot.saved = saved_;
  snapshot.primary_saved = other_saved_;
  snapshot.tab_stops = find_tab_stops();
  snapshot.scrollback = std::move(scrollback_);
  return snapshot;
}

// If a wide character is partly overwritten, libvterm keeps the other half. This returns a blank
// for it, as other terminals show it.
Row Emulator::glyphs_of(std::span<const VTermScreenCell> cells) {
  Row glyphs;
  glyphs.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const VTermScreenCell& cell = cells[i];
    Glyph& glyph = glyphs.emplace_back();
    glyph.pen = {cell.attrs, cell.fg, cell.bg};
    if (cell.chars[0] == 0 || cell.chars[0] == kSecondHalf) continue;
    const int width = widths_.of(cell.chars[0]);
    if (width == 2) {
      if (i + 1 >= cells.size() || cells[i + 1].chars[0] != kSecondHalf) continue;
      glyph.width = 2;
      ++i;
    } else if (width == 0) {
      glyph.text = " ";  // a mark without a base character
    }
    for (int k = 0; k < VTERM_MAX_CHARS_PER_CELL && cell.chars[k] != 0; ++k)
      append_utf8(glyph.text, cell.chars[k]);
  }
  return glyphs;
}

Grid Emulator::read_grid() {
  Grid grid(size_.rows);
  std::vector<VTermScreenCell> cells(size_.cols);
  for (int row = 0; row < size_.rows; ++row) {
    for (int col = 0; col < size_.cols; ++col) {
      vterm_screen_get_cell(screen_, {row, col}, &cells[static_cast<std::size_t>(col)]);
    }
    grid[static_cast<std::size_t>(row)] = glyphs_of(cells);
  }
  return grid;
}

Cursor Emulator::read_cursor() const {
  const VTermPos pos = cursor_of(vterm_.get());
  Cursor cursor{pos.row, pos.col, is_cursor_visible_, {}};
  const auto get = [&](VTermAttr attr) {
    VTermValue value{};
    vterm_state_get_penattr(state_, attr, &value);
    return value;
  };
  VTermScreenCellAttrs& attrs = cursor.pen.attrs;
  attrs.bold = get(VTERM_ATTR_BOLD).boolean & 1;
  attrs.underline = get(VTERM_ATTR_UNDERLINE).number & 3;
  attrs.italic = get(VTERM_ATTR_ITALIC).boolean & 1;
  attrs.blink = get(VTERM_ATTR_BLINK).boolean & 1;
  attrs.reverse = get(VTERM_ATTR_REVERSE).boolean & 1;
  attrs.strike = get(VTERM_ATTR_STRIKE).boolean & 1;
  attrs.font = get(VTERM_ATTR_FONT).number & 15;
  cursor.pen.fg = get(VTERM_ATTR_FOREGROUND).color;
  cursor.pen.bg = get(VTERM_ATTR_BACKGROUND).color;
  return cursor;
}

std::vector<int> Emulator::find_tab_stops() {
  write_now("\x1b[?6l\x1b[?69l\x1b[H");
  std::vector<int> stops;
  for (int last = 0;;) {
    write_now("\t");
    const int col = cursor_of(vterm_.get()).col;
    if (col <= last || col >= size_.cols - 1) return stops;
    stops.push_back(col);
    last = col;
  }
}

// Writes one more character and checks whether it went to the last column or to the next line. On a
// screen with two columns these cannot be distinguished; the result is false.
bool Emulator::find_wrap_pending() {
  const VTermPos before = cursor_of(vterm_.get());
  // After a wide character in the last columns, the cursor is on its left half.
  if (before.col < size_.cols - 2 || size_.cols <= 2) return false;
  write_now("\x1b[4lx");
  return cursor_of(vterm_.get()).col == 1;
}

}  // namespace sf::waypoint
