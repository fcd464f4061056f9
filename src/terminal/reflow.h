// resize_snapshot: what a screen shows after its window got another size. Pure.
//
// As tmux has it. Lines that were wrapped are joined and wrapped anew, in the scrollback, too; the
// cursor stays on its character. Rows that no longer fit go to the scrollback, after blank rows
// below the cursor were given up; a higher screen takes rows back from there. The alternate screen
// is cut or padded at the right and at the bottom: its program paints it anew.
#pragma once

#include "terminal/glyph_widths.h"
#include "terminal/screen_snapshot.h"

namespace sf::waypoint {

void resize_snapshot(ScreenSnapshot& snapshot, WindowSize size);

// The opposite of encode_line().
Row decode_line(std::string_view encoded, GlyphWidths& widths);

}  // namespace sf::waypoint
