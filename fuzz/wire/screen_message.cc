// A screen sent by a keeper: rejected with a reason, or kept by a round trip.
#include "input.h"
#include "wire/keeper_protocol.h"

namespace sf::fuzz {

void screen_message(std::string_view input) {
  Input in(input);
  wire::Frame frame;
  frame.header = wire::Json::parse(in.until('\0'), nullptr, false);
  frame.payload = in.rest();
  auto text = wire::from_frame<ScreenText>(frame);
  if (!text) return check_clear(text.error(), ErrorCode::kCorrupt);
  auto again = wire::from_frame<ScreenText>(wire::to_frame(*text));
  SF_CHECK(again.ok());
  SF_CHECK(*again == *text);
}

}  // namespace sf::fuzz
