// Output that has scrolled away: omitting it does not change the visible screen.
#include "terminal/unseen_output.h"

#include "input.h"
#include "terminal/emulator.h"

namespace sf::fuzz {

void unseen_output(std::string_view input) {
  using waypoint::Emulator;
  Input in(input);
  const WindowSize size{static_cast<std::uint16_t>(1 + in.byte() % 4),
                        static_cast<std::uint16_t>(3 + in.byte() % 20)};
  std::string_view stream = in.rest();
  // Keeps as many lines as the screen has; the scrollback is not compared.
  auto part = waypoint::find_unseen_output(stream, size.rows, size.rows);
  if (!part) return;
  SF_CHECK(part->begin < part->end && part->end <= stream.size());
  SF_CHECK(stream[part->end - 1] == '\n');

  Emulator shortened(size, {});
  shortened.feed(stream.substr(0, part->begin));
  if (!shortened.is_scrolling_freely()) return;
  shortened.feed(part->traces);
  shortened.feed(stream.substr(part->end));
  Emulator whole(size, {});
  whole.feed(stream);
  SF_CHECK(shortened.text() == whole.text());
}

}  // namespace sf::fuzz
