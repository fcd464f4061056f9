// resize_snapshot: changes the window size of a screen. Pure.
//
// Follows tmux. Wrapped lines are joined and wrapped again at the new width, in the scrollback,
// too; the cursor stays on its character. If the screen becomes lower, blank rows below the cursor
// are dropped first, then rows at the top move to the scrollback. If it becomes higher, rows move
// back from there. The alternate screen is cut or padded at the right and at the bottom, since its
// program repaints it.
#pragma once

#include "terminal/glyph_widths.h"
#include "terminal/screen_snapshot.h"

namespace sf::waypoint {

void resize_snapshot(ScreenSnapshot& snapshot, WindowSize size);

// The inverse of encode_line().
Row decode_line(std::string_view encoded, GlyphWidths& widths);

}  // namespace sf::waypoint
