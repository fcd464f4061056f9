// quote: external text for one of our messages, shortened to a single line of limited length.
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
