// Saved screens: refused with a reason, or shown; and saved again they show the same.
#include "input.h"
#include "terminal/screen.h"

namespace sf::fuzz {

void saved_screen(std::string_view input) {
  using waypoint::Screen;
  constexpr int kMaxCells = 4000;  // larger ones only take longer
  auto loaded = Screen::load(input);
  if (!loaded) return check_clear(loaded.error(), ErrorCode::kCorrupt);
  // Not the input: that may be of an older version.
  const std::string saved = loaded->save();
  auto twin = Screen::load(saved);
  SF_CHECK(twin.ok());
  SF_CHECK(twin->save() == saved);
  if (loaded->size().rows * loaded->size().cols > kMaxCells) return;
  auto text = loaded->text();
  SF_CHECK(text.size == loaded->size());
  Screen again = Screen::load(loaded->save()).value();
  SF_CHECK(again.text() == text);
  SF_CHECK(again.scrollback(SIZE_MAX) == loaded->scrollback(SIZE_MAX));
  again.feed("\x1b[2J\x1b[Hhere");
  again.text();
}

}  // namespace sf::fuzz
