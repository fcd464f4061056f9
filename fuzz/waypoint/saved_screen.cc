// Saved screens: rejected with a reason, or loaded; saving and loading again shows the same.
#include "input.h"
#include "terminal/screen.h"

namespace sf::fuzz {

void saved_screen(std::string_view input) {
  using waypoint::Screen;
  constexpr int kMaxCells = 4000;  // larger screens only take longer
  auto loaded = Screen::load(input);
  if (!loaded) return check_clear(loaded.error(), ErrorCode::kCorrupt);
  // Not compared with the input, which may have an older version.
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
