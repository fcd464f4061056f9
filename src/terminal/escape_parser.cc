#include "terminal/escape_parser.h"

namespace sf::waypoint {

std::string EscapeParser::unfinished() const {
  switch (state_) {
    case State::kText:
      return held_;
    case State::kEscape:
      return "\x1b" + held_;
    case State::kCsi:
      return "\x1b[" + held_;
    case State::kString:
      return std::string("\x1b") + introducer_ + held_;
    case State::kStringEscape:
      return std::string("\x1b") + introducer_ + held_ + "\x1b";
  }
  return {};
}

}  // namespace sf::waypoint
