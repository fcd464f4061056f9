#include "terminal/screen_snapshot.h"

#include <algorithm>
#include <utility>

namespace sf::waypoint {
namespace {

bool is_blank(const Glyph& glyph) {
  return (glyph.text.empty() || glyph.text == " ") && VTERM_COLOR_IS_DEFAULT_BG(&glyph.pen.bg) &&
         !glyph.pen.attrs.reverse && !glyph.pen.attrs.underline && !glyph.pen.attrs.strike;
}

std::size_t trimmed_size(const Row& row) {
  std::size_t n = row.size();
  while (n > 0 && is_blank(row[n - 1])) --n;
  return n;
}

void trim_right(std::string& text) { text.erase(text.find_last_not_of(' ') + 1); }

void append_colour(std::string& out, const VTermColor& colour, int base) {
  const bool is_default =
      base == 30 ? VTERM_COLOR_IS_DEFAULT_FG(&colour) : VTERM_COLOR_IS_DEFAULT_BG(&colour);
  if (is_default) return;
  out += "\x1b[" + std::to_string(base + 8);
  if (VTERM_COLOR_IS_INDEXED(&colour)) {
    out += ";5;" + std::to_string(colour.indexed.idx);
  } else {
    out += ";2;" + std::to_string(colour.rgb.red) + ";" + std::to_string(colour.rgb.green) + ";" +
           std::to_string(colour.rgb.blue);
  }
  out += 'm';
}

// Writes a repaint, and tracks the emulator's pen.
class Painter {
 public:
  explicit Painter(std::string& out) : out_(out) {}

  void paint(const Grid& grid, int cols, const std::vector<bool>& continued = {}) {
    for (std::size_t row = 0; row < grid.size(); ++row) {
      const bool wraps = row > 0 && row < continued.size() && continued[row] &&
                         begin_wrap(grid[row - 1], grid[row], static_cast<int>(row) - 1, cols);
      paint_row(grid[row], static_cast<int>(row), cols, wraps);
    }
  }

  void move_to(int row, int col) {
    out_ += "\x1b[" + std::to_string(row + 1) + ";" + std::to_string(col + 1) + "H";
  }
  // Moves the cursor and cancels a pending wrap. In libvterm, some motions to the current position
  // do not cancel it; a motion from another position does.
  void move_firmly_to(int row, int col) {
    out_ += "\x1b[H";
    move_to(row, col);
  }

  void use_pen(const Pen& pen) {
    if (pen_ && *pen_ == pen) return;
    append_pen(out_, pen);
    pen_ = pen;
  }

 private:
  // Brings the emulator into a state in which the next character wraps to the row below `above`.
  // Returns false if that is impossible because the end of that row was erased.
  bool begin_wrap(const Row& above, const Row& row, int number, int cols) {
    if (above.empty() || row.empty()) return false;
    const Glyph& last = above.back();
    if (!last.text.empty()) {
      move_to(number, cols - last.width);
      use_pen(last.pen);
      out_ += last.text;
      return true;
    }
    if (row.front().width < 2) return false;
    move_to(number, cols - 1);
    return true;
  }

  // `wraps`: the first character wraps to this row.
  void paint_row(const Row& row, int number, int cols, bool wraps) {
    int col = 0;
    int at = wraps ? 0 : -1;  // column of the emulator's cursor; -1: unknown
    std::size_t i = 0;
    if (wraps) {
      const Glyph& first = row[i++];
      use_pen(first.pen);
      out_ += first.text.empty() ? " " : first.text;
      col = at = first.width;
    }
    for (; i < row.size(); ++i) {
      const Glyph& glyph = row[i];
      if (glyph.text.empty()) {
        int count = 1;
        while (i + 1 < row.size() && row[i + 1].text.empty() && row[i + 1].pen == glyph.pen) {
          ++i;
          ++count;
        }
        if (!VTERM_COLOR_IS_DEFAULT_BG(&glyph.pen.bg)) {
          if (at != col) move_to(number, col);
          at = col;
          use_pen(glyph.pen);
          out_ += "\x1b[" + std::to_string(count) + "X";
        }
        col += count;
        continue;
      }
      if (at != col) move_to(number, col);
      use_pen(glyph.pen);
      out_ += glyph.text;
      col += glyph.width;
      at = col < cols ? col : -1;
    }
  }

  std::string& out_;
  std::optional<Pen> pen_;
};

void append_mode(std::string& out, int mode, bool on) {
  out += "\x1b[?" + std::to_string(mode) + (on ? 'h' : 'l');
}

void append_tab_stops(std::string& out, const ScreenSnapshot& snapshot) {
  std::vector<int> usual;
  for (int col = 8; col < snapshot.size.cols; col += 8) usual.push_back(col);
  if (snapshot.tab_stops == usual) return;
  out += "\x1b[3g";
  for (const int col : snapshot.tab_stops) out += "\x1b[1;" + std::to_string(col + 1) + "H\x1bH";
}

// Requires: ASCII is designated to all sets, and G0 is in use.
void append_charsets(std::string& out, const std::array<char, 4>& charset, int shift) {
  for (std::size_t i = 0; i < charset.size(); ++i) {
    if (charset[i] != 0 && charset[i] != 'B') out += std::string("\x1b") + "()*+"[i] + charset[i];
  }
  if (shift == 1) out += '\x0e';
  if (shift == 2) out += "\x1bn";
  if (shift == 3) out += "\x1bo";
}

// Undoes append_charsets().
void append_ascii(std::string& out, const std::array<char, 4>& charset, int shift) {
  for (std::size_t i = 0; i < charset.size(); ++i) {
    if (charset[i] != 0 && charset[i] != 'B') out += std::string("\x1b") + "()*+"[i] + 'B';
  }
  if (shift != 0) out += '\x0f';
}

void append_modes(std::string& out, const TerminalModes& modes) {
  // The mouse modes exclude each other, so switch all unwanted ones off first.
  for (const bool wanted : {false, true}) {
    for (const auto& [mode, on] : modes.dec) {
      if (on == wanted) append_mode(out, mode, on);
    }
  }
  if (modes.is_newline) out += "\x1b[20h";
  if (modes.is_keypad) out += "\x1b=";
  if (modes.cursor_style > 0) out += "\x1b[" + std::to_string(modes.cursor_style) + " q";
  const auto append_margins = [&](std::pair<int, int> margins, char final) {
    if (margins.first > 0) {
      out += "\x1b[" + std::to_string(margins.first) + ";" + std::to_string(margins.second) + final;
    }
  };
  append_margins(modes.rows, 'r');
  if (modes.has(69)) append_margins(modes.cols, 's');
}

// Appends the sequences that set the saved cursor. Before and after them, the charset is ASCII, and
// origin mode and margins are off.
void append_saved(std::string& out, const SavedCursor& saved) {
  if (saved.is_origin) append_mode(out, 6, true);
  append_charsets(out, saved.charset, saved.shift);
  Painter painter(out);
  painter.move_firmly_to(saved.cursor.row, saved.cursor.col);
  painter.use_pen(saved.cursor.pen);
  out += "\x1b\x37";  // DECSC
  append_ascii(out, saved.charset, saved.shift);
  if (saved.is_origin) append_mode(out, 6, false);
}

// A glyph and its first column.
struct PlacedGlyph {
  const Glyph* glyph = nullptr;
  int col = 0;
};

// The glyph that starts before column `wanted` and ends at or after it, if any.
PlacedGlyph glyph_before(const Row& row, int wanted) {
  int col = 0;
  for (const Glyph& glyph : row) {
    if (col + glyph.width >= wanted) return {&glyph, col};
    col += glyph.width;
  }
  return {};
}

const Row& row_of_cursor(const ScreenSnapshot& snapshot) {
  const Grid& grid = snapshot.alternate ? *snapshot.alternate : snapshot.primary;
  return grid[static_cast<std::size_t>(snapshot.cursor.row)];
}

// The character in the last column, if a wrap is pending. If a wide character there was erased, no
// blank can replace it, so the repaint loses the pending wrap.
PlacedGlyph find_wrapping(const ScreenSnapshot& snapshot) {
  if (!snapshot.is_wrap_pending) return {};
  const PlacedGlyph last = glyph_before(row_of_cursor(snapshot), snapshot.cursor.col + 1);
  const bool ends_row = last.glyph != nullptr && last.col + last.glyph->width == snapshot.size.cols;
  return ends_row && last.col == snapshot.cursor.col ? last : PlacedGlyph{};
}

// The character that was printed last, if the repaint must restore that state.
PlacedGlyph find_last_text(const ScreenSnapshot& snapshot) {
  if (snapshot.last_text.empty() || snapshot.modes.is_insert || !snapshot.modes.has(7)) return {};
  const PlacedGlyph last = snapshot.is_wrap_pending
                               ? find_wrapping(snapshot)
                               : glyph_before(row_of_cursor(snapshot), snapshot.cursor.col);
  const bool is_it =
      last.glyph != nullptr && last.glyph->text == snapshot.last_text &&
      last.glyph->pen == snapshot.cursor.pen &&
      (snapshot.is_wrap_pending || last.col + last.glyph->width == snapshot.cursor.col);
  return is_it ? last : PlacedGlyph{};
}

// Moves to the cursor's position. Prints `printed` again if it is set, because only printing leads
// to a pending wrap.
void append_cursor(std::string& out, const ScreenSnapshot& snapshot, PlacedGlyph printed) {
  Painter painter(out);
  const Cursor& cursor = snapshot.cursor;
  const int row_offset = snapshot.modes.is_origin ? std::max(snapshot.modes.rows.first, 1) - 1 : 0;
  const bool has_margins = snapshot.modes.is_origin && snapshot.modes.has(69);
  const int col_offset = has_margins ? std::max(snapshot.modes.cols.first, 1) - 1 : 0;
  const int row = std::max(cursor.row - row_offset, 0);
  const int col = printed.glyph != nullptr ? printed.col : cursor.col;
  painter.move_firmly_to(row, std::max(col - col_offset, 0));
  if (printed.glyph != nullptr) {
    painter.use_pen(printed.glyph->pen);
    out += printed.glyph->text.empty() ? " " : printed.glyph->text;
  }
  painter.use_pen(cursor.pen);
}

}  // namespace

bool operator==(const Pen& a, const Pen& b) {
  return a.attrs.bold == b.attrs.bold && a.attrs.underline == b.attrs.underline &&
         a.attrs.italic == b.attrs.italic && a.attrs.blink == b.attrs.blink &&
         a.attrs.reverse == b.attrs.reverse && a.attrs.strike == b.attrs.strike &&
         a.attrs.font == b.attrs.font && vterm_color_is_equal(&a.fg, &b.fg) &&
         vterm_color_is_equal(&a.bg, &b.bg);
}

void append_pen(std::string& out, const Pen& pen) {
  out += "\x1b[0";
  if (pen.attrs.bold) out += ";1";
  if (pen.attrs.italic) out += ";3";
  if (pen.attrs.underline == VTERM_UNDERLINE_SINGLE) out += ";4";
  if (pen.attrs.underline == VTERM_UNDERLINE_DOUBLE) out += ";21";
  if (pen.attrs.underline == VTERM_UNDERLINE_CURLY) out += ";4:3";
  if (pen.attrs.blink) out += ";5";
  if (pen.attrs.reverse) out += ";7";
  if (pen.attrs.strike) out += ";9";
  if (pen.attrs.font > 0) out += ";1" + std::to_string(pen.attrs.font);
  out += 'm';
  append_colour(out, pen.fg, 30);
  append_colour(out, pen.bg, 40);
}

std::string encode_line(const Row& row, LineEnd end) {
  std::string line;
  Pen usual;
  usual.fg.type = VTERM_COLOR_DEFAULT_FG;
  usual.bg.type = VTERM_COLOR_DEFAULT_BG;
  const auto is_usual = [&](const Pen& pen) {
    return VTERM_COLOR_IS_DEFAULT_FG(&pen.fg) && VTERM_COLOR_IS_DEFAULT_BG(&pen.bg) &&
           pen.attrs.bold == 0 && pen.attrs.underline == 0 && pen.attrs.italic == 0 &&
           pen.attrs.blink == 0 && pen.attrs.reverse == 0 && pen.attrs.strike == 0 &&
           pen.attrs.font == 0;
  };
  const Pen* current = nullptr;  // null: the default pen
  std::size_t size = trimmed_size(row);
  while (end == LineEnd::kGoesOn && size < row.size() && !row[size].text.empty()) ++size;
  for (std::size_t i = 0; i < size; ++i) {
    const Glyph& glyph = row[i];
    const Pen* wanted = is_usual(glyph.pen) ? nullptr : &glyph.pen;
    const bool is_same =
        wanted == nullptr ? current == nullptr : current != nullptr && *current == *wanted;
    if (!is_same) {
      if (wanted == nullptr) {
        line += "\x1b[0m";
      } else {
        append_pen(line, *wanted);
      }
      current = wanted;
    }
    line += glyph.text.empty() ? " " : glyph.text;
  }
  if (current != nullptr) line += "\x1b[0m";
  return line;
}

std::string plain_line(const Row& row) {
  std::string line;
  for (const Glyph& glyph : row) line += glyph.text.empty() ? " " : glyph.text;
  trim_right(line);
  return line;
}

std::string plain_line(std::string_view encoded) {
  std::string line;
  while (!encoded.empty()) {
    const std::size_t escape = encoded.find('\x1b');
    line += encoded.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const std::size_t end = encoded.find('m', escape);
    if (end == std::string_view::npos) break;
    encoded.remove_prefix(end + 1);
  }
  trim_right(line);
  return line;
}

std::string repaint(const ScreenSnapshot& snapshot) {
  std::string out;
  if (!snapshot.title.empty()) out += "\x1b]2;" + snapshot.title + "\x1b\\";
  out += snapshot.colours.repaint();
  append_tab_stops(out, snapshot);

  Painter painter(out);
  painter.paint(snapshot.primary, snapshot.size.cols, snapshot.continued);
  if (snapshot.alternate) {
    append_saved(out, snapshot.primary_saved);
    out += "\x1b[0m\x1b[?1047h";
    Painter(out).paint(*snapshot.alternate, snapshot.size.cols);
  }

  const TerminalModes& modes = snapshot.modes;
  append_saved(out, snapshot.saved);
  append_modes(out, modes);
  if (modes.is_origin) append_mode(out, 6, true);
  append_mode(out, 25, snapshot.cursor.is_visible);
  const PlacedGlyph last_text = find_last_text(snapshot);
  if (last_text.glyph != nullptr) {
    // No sequence may follow the character. It is already translated, so it is not ASCII to which a
    // character set applies.
    append_charsets(out, modes.charset, modes.shift);
    append_cursor(out, snapshot, last_text);
  } else {
    append_cursor(out, snapshot, find_wrapping(snapshot));
    // No character is printed after this.
    if (modes.is_insert) out += "\x1b[4h";
    append_charsets(out, modes.charset, modes.shift);
  }
  return out + snapshot.unfinished;
}

Glyph blank_glyph() {
  Glyph blank;
  blank.pen.fg.type = VTERM_COLOR_DEFAULT_FG;
  blank.pen.bg.type = VTERM_COLOR_DEFAULT_BG;
  return blank;
}

}  // namespace sf::waypoint
