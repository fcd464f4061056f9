// ScreenSnapshot: the whole state of an emulator as plain data, and the repaint: the bytes that
// bring a new emulator into this state. Emulator fills the snapshot, Screen stores the repaint.
// Pure.
#pragma once

#include <vterm.h>

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "terminal/screen.h"
#include "terminal/terminal_colours.h"
#include "terminal/terminal_modes.h"

namespace sf::waypoint {

struct Pen {
  VTermScreenCellAttrs attrs{};
  VTermColor fg{};
  VTermColor bg{};
};
bool operator==(const Pen& a, const Pen& b);

// One character with its marks, in one or two columns. A cell without text was never written, or
// was erased.
struct Glyph {
  std::string text;
  int width = 1;
  Pen pen;
};

using Row = std::vector<Glyph>;  // the total width is the screen's
using Grid = std::vector<Row>;

struct Cursor {
  int row = 0;
  int col = 0;
  bool is_visible = true;
  Pen pen;
};

// The state that DECSC saves. The cursor's visibility is not part of it.
struct SavedCursor {
  Cursor cursor;
  bool is_origin = false;
  std::array<char, 4> charset{};
  int shift = 0;
};

// A line that scrolled off the top of the screen.
struct ScrolledLine {
  std::string encoded;        // see encode_line()
  bool is_continued = false;  // it continues the previous line, which filled its row
  friend bool operator==(const ScrolledLine&, const ScrolledLine&) = default;
};
using Scrollback = std::deque<ScrolledLine>;  // oldest first

struct ScreenSnapshot {
  WindowSize size;
  Grid primary;
  // For each row of `primary`, whether it continues the previous row, which was full. The first row
  // may continue the scrollback.
  std::vector<bool> continued;
  std::optional<Grid> alternate;  // set iff the alternate screen is shown
  Cursor cursor;
  bool is_wrap_pending = false;  // the next character goes to the next line
  std::string last_text;         // the last character if only marks followed it; a mark joins it
  SavedCursor saved;             // DECSC, of the screen that is shown; each screen has its own
  SavedCursor primary_saved;     // the primary screen's while the alternate is shown
  std::vector<int> tab_stops;    // columns > 0
  TerminalModes modes;
  TerminalColours colours;
  std::string title;
  std::string unfinished;  // bytes of a sequence or character that is not complete yet
  Scrollback scrollback;
};

// Appends the sequences that set the pen to `pen` from any state.
void append_pen(std::string& out, const Pen& pen);

// Returns the line as text with SGR sequences, without blanks at its end, and resets the pen after
// it. With kGoesOn, the next row continues the line, so printed spaces at its end are kept.
enum class LineEnd { kEnds, kGoesOn };
std::string encode_line(const Row& row, LineEnd end);
// Plain text of a row, and of an encoded line.
std::string plain_line(const Row& row);
std::string plain_line(std::string_view encoded);

// The bytes that bring a new emulator of the snapshot's size into the snapshot's state, without the
// scrollback and continued.front(). A continued row is printed past the end of the previous row, so
// a terminal that reflows treats them as one line.
std::string repaint(const ScreenSnapshot& snapshot);

// The blank cell of a reset terminal.
Glyph blank_glyph();

}  // namespace sf::waypoint
