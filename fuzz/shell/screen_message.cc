// A screen on its way from a keeper: refused with a reason, or the same when sent on.
#include "shell/screen_message.h"

#include "input.h"

namespace sf::fuzz {

void screen_message(std::string_view input) {
  Input in(input);
  wire::Frame frame;
  frame.header = wire::Json::parse(in.until('\0'), nullptr, false);
  frame.payload = in.rest();
  auto text = waypoint::screen_from_frame(frame);
  if (!text) return check_clear(text.error(), ErrorCode::kCorrupt);
  auto again = waypoint::screen_from_frame(waypoint::screen_frame(*text));
  SF_CHECK(again.ok());
  SF_CHECK(*again == *text);
}

}  // namespace sf::fuzz
