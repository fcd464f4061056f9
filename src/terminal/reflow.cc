#include "terminal/reflow.h"

#include <algorithm>
#include <utility>

#include "terminal/csi_sequence.h"
#include "terminal/utf8.h"

namespace sf::waypoint {
namespace {

int width_of(const Row& row) {
  int width = 0;
  for (const Glyph& glyph : row) width += glyph.width;
  return width;
}

bool is_erased(const Glyph& glyph) {
  return glyph.text.empty() && VTERM_COLOR_IS_DEFAULT_BG(&glyph.pen.bg);
}

bool is_empty(const Row& row) { return std::all_of(row.begin(), row.end(), is_erased); }

void fit_row(Row& row, int cols) {
  int col = 0;
  std::size_t kept = 0;
  while (kept < row.size() && col + row[kept].width <= cols) col += row[kept++].width;
  row.resize(kept);
  for (; col < cols; ++col) row.push_back(blank_glyph());
}

// Drops rows at the top until `cursor_row` fits, then cuts or pads the grid at the bottom.
void fit_grid(Grid& grid, int& cursor_row, WindowSize size) {
  const int above = std::clamp(cursor_row - size.rows + 1, 0, static_cast<int>(grid.size()));
  grid.erase(grid.begin(), grid.begin() + above);
  grid.resize(size.rows);
  for (Row& row : grid) fit_row(row, size.cols);
  cursor_row = std::clamp(cursor_row - above, 0, size.rows - 1);
}

// Applies an SGR sequence that append_pen() has written.
void apply_pen(Pen& pen, const CsiSequence& csi) {
  const std::vector<int>& given = csi.arguments();
  for (std::size_t i = 0; i < given.size(); ++i) {
    switch (given[i]) {
      case 0:
      case -1:
        pen = blank_glyph().pen;
        break;
      case 1:
        pen.attrs.bold = 1;
        break;
      case 3:
        pen.attrs.italic = 1;
        break;
      case 4:
        pen.attrs.underline = VTERM_UNDERLINE_SINGLE;
        if (i + 1 < given.size() && csi.with_final('m').find("4:3") != std::string::npos) {
          pen.attrs.underline = VTERM_UNDERLINE_CURLY;
          ++i;
        }
        break;
      case 5:
        pen.attrs.blink = 1;
        break;
      case 7:
        pen.attrs.reverse = 1;
        break;
      case 9:
        pen.attrs.strike = 1;
        break;
      case 21:
        pen.attrs.underline = VTERM_UNDERLINE_DOUBLE;
        break;
      case 38:
      case 48: {
        VTermColor& colour = given[i] == 38 ? pen.fg : pen.bg;
        const auto byte = [&](std::size_t at) {
          return static_cast<std::uint8_t>(at < given.size() ? std::max(given[at], 0) : 0);
        };
        if (byte(i + 1) == 5) {
          vterm_color_indexed(&colour, byte(i + 2));
          i += 2;
        } else {
          vterm_color_rgb(&colour, byte(i + 2), byte(i + 3), byte(i + 4));
          i += 4;
        }
        break;
      }
      default:
        if (given[i] > 10 && given[i] < 20)
          pen.attrs.font = static_cast<unsigned>(given[i] - 10) & 15U;
        break;
    }
  }
}

// All rows of scrollback and screen as one sequence, with the cursor's position in it.
struct Flow {
  struct Line {
    Row row;
    bool is_continued = false;
  };
  std::vector<Line> lines;
  std::size_t cursor_line = 0;
  int cursor_col = 0;
  bool is_wrap_pending = false;
};

// Joins the rows of each line and wraps them again at the new width.
class Rewrapper {
 public:
  Rewrapper(Flow& flow, int old_cols, int cols) : from_(flow), old_cols_(old_cols), cols_(cols) {}

  Flow run() {
    for (std::size_t first = 0; first < from_.lines.size();) {
      std::size_t end = first + 1;
      while (end < from_.lines.size() && from_.lines[end].is_continued) ++end;
      rewrap(first, end);
      first = end;
    }
    return std::move(to_);
  }

 private:
  void rewrap(std::size_t first, std::size_t end) {
    Row text;
    int cursor = -1;  // in cells from the start of the line
    int width = 0;
    for (std::size_t i = first; i < end; ++i) {
      Row& row = from_.lines[i].row;
      while (!row.empty() && is_erased(row.back())) row.pop_back();
      if (i == from_.cursor_line) cursor = width + from_.cursor_col;
      if (i + 1 < end) pad(row, from_.lines[i + 1].row);
      width += width_of(row);
      std::move(row.begin(), row.end(), std::back_inserter(text));
    }
    const bool was_pending = cursor >= 0 && from_.is_wrap_pending;
    // With a pending wrap, the cursor is logically after the last character.
    if (was_pending) cursor = std::max(cursor + 1, width);
    location(text, cursor, first == 0 && from_.lines[first].is_continued);
  }

  // Pads a row that the next row continues to its full width, except a single cell in which the
  // next row's wide character did not fit.
  void pad(Row& row, const Row& next) const {
    const int missing = old_cols_ - width_of(row);
    if (missing == 1 && !next.empty() && next.front().width == 2) return;
    for (int i = 0; i < missing; ++i) {
      row.push_back(blank_glyph());
      row.back().text = " ";
    }
  }

  void location(const Row& text, int cursor, bool is_continued) {
    to_.lines.push_back({{}, is_continued});
    int col = 0;   // in the row
    int cell = 0;  // in the line
    for (const Glyph& glyph : text) {
      if (col + glyph.width > cols_) {
        to_.lines.push_back({{}, true});
        col = 0;
      }
      // A cursor on the right half of a wide character moves to its left half.
      if (cursor >= cell && cursor < cell + glyph.width) put_cursor(col);
      to_.lines.back().row.push_back(glyph);
      col += glyph.width;
      cell += glyph.width;
    }
    if (cursor < cell) return;
    const int beyond = cursor - cell;
    if (col + beyond < cols_) return put_cursor(col + beyond);
    put_cursor(cols_ - 1);
    if (beyond > 0 || col < cols_ || text.empty()) return;
    to_.is_wrap_pending = true;  // the text ends at the end of the row
    put_cursor(cols_ - text.back().width);
  }

  void put_cursor(int col) {
    to_.cursor_line = to_.lines.size() - 1;
    to_.cursor_col = col;
  }

  Flow& from_;
  int old_cols_;
  int cols_;
  Flow to_;
};

// The first line of the screen after a change of its height only.
std::size_t top_for_height(Flow& flow, std::size_t top, int old_rows, int rows) {
  if (rows > old_rows) return top - std::min(top, static_cast<std::size_t>(rows - old_rows));
  auto needed = static_cast<std::size_t>(old_rows - rows);
  while (needed > 0 && flow.lines.size() > flow.cursor_line + 1 &&
         is_empty(flow.lines.back().row)) {
    flow.lines.pop_back();
    --needed;
  }
  return std::min(top + needed, flow.cursor_line);
}

Flow flow_of(ScreenSnapshot& snapshot, std::pair<int, int> cursor, bool is_wrap_pending) {
  Flow flow;
  GlyphWidths widths;
  for (const ScrolledLine& line : snapshot.scrollback)
    flow.lines.push_back({decode_line(line.encoded, widths), line.is_continued});
  flow.cursor_line = flow.lines.size() + static_cast<std::size_t>(cursor.first);
  flow.cursor_col = cursor.second;
  flow.is_wrap_pending = is_wrap_pending;
  for (std::size_t row = 0; row < snapshot.primary.size(); ++row)
    flow.lines.push_back({std::move(snapshot.primary[row]), snapshot.continued[row]});
  return flow;
}

LineEnd end_of(std::vector<Flow::Line>::const_iterator line,
               std::vector<Flow::Line>::const_iterator end) {
  return ++line != end && line->is_continued ? LineEnd::kGoesOn : LineEnd::kEnds;
}

void resize_primary(ScreenSnapshot& snapshot, WindowSize size) {
  Cursor& cursor = snapshot.alternate ? snapshot.primary_saved.cursor : snapshot.cursor;
  const bool is_pending = snapshot.is_wrap_pending && !snapshot.alternate;
  Flow flow = flow_of(snapshot, {cursor.row, cursor.col}, is_pending);
  std::size_t top = top_for_height(flow, snapshot.scrollback.size(), snapshot.size.rows, size.rows);
  if (size.cols != snapshot.size.cols) {
    flow = Rewrapper(flow, snapshot.size.cols, size.cols).run();
    const std::size_t all = flow.lines.size();
    top = all > size.rows ? all - size.rows : 0;
    top = std::min(top, flow.cursor_line);
  }
  const auto split = flow.lines.begin() + static_cast<std::ptrdiff_t>(top);
  snapshot.scrollback.clear();
  const std::size_t dropped = top > Screen::kMaxScrollback ? top - Screen::kMaxScrollback : 0;
  for (auto line = flow.lines.begin() + static_cast<std::ptrdiff_t>(dropped); line != split; ++line)
    snapshot.scrollback.push_back(
        {encode_line(line->row, end_of(line, flow.lines.end())), line->is_continued});
  snapshot.primary.clear();
  snapshot.continued.assign(size.rows, false);
  for (auto line = split; line != flow.lines.end() && snapshot.primary.size() < size.rows; ++line) {
    snapshot.continued[snapshot.primary.size()] = line->is_continued;
    snapshot.primary.push_back(std::move(line->row));
  }
  snapshot.primary.resize(size.rows);
  for (Row& row : snapshot.primary) fit_row(row, size.cols);
  cursor.row = std::min(static_cast<int>(flow.cursor_line - top), size.rows - 1);
  cursor.col = std::min<int>(flow.cursor_col, size.cols - 1);
  if (!snapshot.alternate) snapshot.is_wrap_pending = flow.is_wrap_pending;
}

}  // namespace

Row decode_line(std::string_view encoded, GlyphWidths& widths) {
  Row row;
  Pen pen = blank_glyph().pen;
  for (std::size_t at = 0; at < encoded.size();) {
    if (encoded[at] == '\x1b') {
      const std::size_t end = encoded.find('m', at);
      if (end == std::string_view::npos || end < at + 2) break;
      apply_pen(pen, CsiSequence(encoded.substr(at + 2, end - at - 2)));
      at = end + 1;
      continue;
    }
    const std::size_t begin = at;
    const int width = widths.of(next_code_point(encoded, at));
    const std::string_view character = encoded.substr(begin, at - begin);
    if (width == 0 && !row.empty()) {
      row.back().text += character;
    } else {
      row.push_back({std::string(character), std::max(width, 1), pen});
    }
  }
  return row;
}

void resize_snapshot(ScreenSnapshot& snapshot, WindowSize size) {
  resize_primary(snapshot, size);
  if (snapshot.alternate) {
    fit_grid(*snapshot.alternate, snapshot.cursor.row, size);
    snapshot.cursor.col = std::min<int>(snapshot.cursor.col, size.cols - 1);
    snapshot.is_wrap_pending = snapshot.is_wrap_pending && size.cols == snapshot.size.cols;
  }
  Cursor& saved = snapshot.saved.cursor;
  saved.row = std::min<int>(saved.row, size.rows - 1);
  saved.col = std::min<int>(saved.col, size.cols - 1);

  std::vector<int>& stops = snapshot.tab_stops;
  stops.erase(std::remove_if(stops.begin(), stops.end(), [&](int col) { return col >= size.cols; }),
              stops.end());
  for (int col = (snapshot.size.cols + 7) / 8 * 8; col < size.cols; col += 8) stops.push_back(col);

  // Reset the margins to the whole screen, as other terminals do.
  snapshot.modes.rows = snapshot.modes.cols = {0, 0};
  snapshot.size = size;
}

}  // namespace sf::waypoint
