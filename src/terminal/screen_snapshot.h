// ScreenSnapshot: all that an emulator knows, as plain data, and the bytes that make a fresh
// emulator know it again. Pure; the bridge between Emulator, which fills it, and Screen, which
// stores the repaint.
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

// One character with its marks, on one or two columns. Without text it is a cell that was never
// written or erased.
struct Glyph {
  std::string text;
  int width = 1;
  Pen pen;
};

using Row = std::vector<Glyph>;  // together as wide as the screen
using Grid = std::vector<Row>;

struct Cursor {
  int row = 0;
  int col = 0;
  bool is_visible = true;
  Pen pen;
};

// What DECSC keeps. Whether the cursor is visible is not part of it.
struct SavedCursor {
  Cursor cursor;
  bool is_origin = false;
  std::array<char, 4> charset{};
  int shift = 0;
};

// A line that left the screen at its top.
struct ScrolledLine {
  std::string encoded;        // see encode_line()
  bool is_continued = false;  // it goes on where the line before was full
  friend bool operator==(const ScrolledLine&, const ScrolledLine&) = default;
};
using Scrollback = std::deque<ScrolledLine>;  // oldest first

struct ScreenSnapshot {
  WindowSize size;
  Grid primary;
  // For each row of `primary`, whether it goes on where the row before was full. The first one may
  // continue the scrollback.
  std::vector<bool> continued;
  std::optional<Grid> alternate;  // set iff the alternate screen is shown
  Cursor cursor;
  bool is_wrap_pending = false;  // the next character goes to the next line
  std::string last_text;         // the last character if nothing came after it: marks join it
  SavedCursor saved;             // DECSC, of the screen that is shown: each has its own
  SavedCursor primary_saved;     // the primary screen's while the alternate is shown
  std::vector<int> tab_stops;    // columns > 0
  TerminalModes modes;
  TerminalColours colours;
  std::string title;
  std::string unfinished;  // bytes of a sequence or character that is not complete yet
  Scrollback scrollback;
};

// Appends what makes a pen in any state equal to `pen`.
void append_pen(std::string& out, const Pen& pen);

// A line as text with SGR sequences, blanks at its end removed, the pen reset after it. If the line
// goes on in the next one, spaces that were printed at its end belong to the text and stay.
enum class LineEnd { kEnds, kGoesOn };
std::string encode_line(const Row& row, LineEnd end);
// The same as plain text: of the glyphs, and of an encoded line.
std::string plain_line(const Row& row);
std::string plain_line(std::string_view encoded);

// The bytes that turn a fresh emulator of the snapshot's size into the snapshot, scrollback and
// continued.front() excepted. Continued rows are printed past the end of the row before, so any
// terminal that reflows knows them, too.
std::string repaint(const ScreenSnapshot& snapshot);

// A blank cell as after a reset.
Glyph blank_glyph();

}  // namespace sf::waypoint
