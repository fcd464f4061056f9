// ScreenSnapshot: all that an emulator knows, as plain data, and the bytes that make a fresh
// emulator know it again. Pure; the bridge between Emulator, which fills it, and Screen, which
// stores the repaint.
#pragma once

#include <vterm.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waypoint/terminal/screen.h"

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

// What the program has switched on and libvterm does not tell; followed by Emulator as the
// sequences pass.
struct TerminalModes {
  std::map<int, bool> dec;   // other DECSET modes that were ever switched
  bool is_origin = false;    // DECOM
  bool is_insert = false;    // IRM
  bool is_newline = false;   // LNM
  bool is_keypad = false;    // DECKPAM
  char charset[4] = {};      // designated to G0..G3; 0: never
  int shift = 0;             // which of them text uses
  std::pair<int, int> rows;  // DECSTBM: first and last row that scroll, from 1; {0, 0}: all
  std::pair<int, int> cols;  // DECSLRM, likewise
  int cursor_style = 0;      // DECSCUSR
  bool has(int dec_mode) const;
};

struct ScreenSnapshot {
  WindowSize size;
  Grid primary;
  std::optional<Grid> alternate;  // set iff the alternate screen is shown
  Cursor cursor;
  bool is_wrap_pending = false;  // the next character goes to the next line
  Cursor saved_cursor;           // DECSC
  std::vector<int> tab_stops;    // columns > 0
  TerminalModes modes;
  std::string title;
  std::string unfinished;  // bytes of a sequence or character that is not complete yet
  std::deque<std::string> scrollback;
};

// Appends what makes a pen in any state equal to `pen`.
void append_pen(std::string& out, const Pen& pen);

// A line as text with SGR sequences, blanks at its end removed, the pen reset after it.
std::string encode_line(const Row& row);
// The same as plain text: of the glyphs, and of an encoded line.
std::string plain_line(const Row& row);
std::string plain_line(std::string_view encoded);

// The bytes that turn a fresh emulator of the snapshot's size into the snapshot, scrollback
// excepted.
std::string repaint(const ScreenSnapshot& snapshot);

// Cuts or pads the snapshot: see Screen::resize().
void resize_snapshot(ScreenSnapshot& snapshot, WindowSize size);

}  // namespace sf::waypoint
