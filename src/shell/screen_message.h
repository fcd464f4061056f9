// A screen as a keeper's answer: positions in the header, rows in the payload, which may be large.
#pragma once

#include "terminal/screen.h"
#include "wire/frame.h"

namespace sf::waypoint {

wire::Frame screen_frame(const ScreenText& text);
Result<ScreenText> screen_from_frame(const wire::Frame& frame);

}  // namespace sf::waypoint
