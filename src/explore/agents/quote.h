// quote: somebody else's text within one of our messages: on one line, and not too much of it.
#pragma once

#include <string>
#include <string_view>

namespace sf::explore {

inline std::string quote(std::string_view text) {
  constexpr std::size_t kMost = 300;
  std::string shown = "'";
  for (const char c : text.substr(0, kMost))
    shown += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  return shown + (text.size() > kMost ? "...'" : "'");
}

}  // namespace sf::explore
