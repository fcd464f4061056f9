// The terminal's screen: does not depend on how the stream is split, and survives saving, loading
// and a repaint.
#include "terminal/screen.h"

#include "input.h"
#include "wire/base64.h"

namespace sf::fuzz {
namespace {

using waypoint::Screen;

void check_possible(const ScreenText& text) {
  SF_CHECK(text.rows.size() == text.size.rows);
  SF_CHECK(text.cursor_row >= 0 && text.cursor_row < text.size.rows);
  SF_CHECK(text.cursor_col >= 0 && text.cursor_col < text.size.cols);
  for (const std::string& row : text.rows) SF_CHECK(wire::is_utf8(row));
  SF_CHECK(wire::is_utf8(text.title));
}

void check_same(Screen& a, Screen& b) {
  SF_CHECK(a.text() == b.text());
  SF_CHECK(a.scrollback(SIZE_MAX) == b.scrollback(SIZE_MAX));
}

// A repaint may lose only the cursor position in origin mode (docs/formats/screen.md).
void check_looks_the_same(ScreenText a, ScreenText b) {
  a.cursor_row = b.cursor_row = 0;
  a.cursor_col = b.cursor_col = 0;
  SF_CHECK(a == b);
}

}  // namespace

void screen(std::string_view input) {
  Input in(input);
  const WindowSize size{static_cast<std::uint16_t>(1 + in.byte() % 12),
                        static_cast<std::uint16_t>(2 + in.byte() % 40)};
  const WindowSize other{static_cast<std::uint16_t>(1 + in.byte() % 12),
                         static_cast<std::uint16_t>(2 + in.byte() % 40)};
  std::size_t largest = in.byte();
  std::string_view raw = in.rest();

  Screen whole(size);
  whole.feed(raw);
  const ScreenText shown = whole.text();
  check_possible(shown);
  Screen pieces(size);
  for (std::string_view piece : cut(raw, largest)) {
    pieces.feed(piece);
    if (largest % 2 == 1) pieces.text();
  }
  check_same(whole, pieces);
  Screen loaded = Screen::load(whole.save()).value();
  check_same(whole, loaded);

  Screen painted(size);
  painted.feed(whole.repaint());
  check_looks_the_same(whole.text(), shown);
  SF_CHECK(painted.text() == whole.text());
  whole.resize(other);
  check_possible(whole.text());
}

}  // namespace sf::fuzz
