// CRIU's terminal image: rejected with a reason, or corrected; a second correction changes nothing.
#include "engine/criu/tty_image.h"

#include "input.h"

namespace sf::fuzz {

void tty_image(std::string_view input) {
  Input in(input);
  const unsigned session = 1U + in.word();
  const unsigned group = in.word();
  const std::string image(in.rest());
  auto corrected = waypoint::criu::with_terminal_session(image, session, group);
  if (!corrected) return check_clear(corrected.error(), ErrorCode::kCorrupt);
  auto again = waypoint::criu::with_terminal_session(*corrected, session, group);
  SF_CHECK(again.ok());
  SF_CHECK(*again == *corrected);
}

}  // namespace sf::fuzz
