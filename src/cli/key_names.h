// Keys by their names, as tmux has them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sf::cli {

// The bytes that a terminal sends for Enter, Tab, BTab, Space, Escape, BSpace, Delete, Insert, Up,
// Down, Left, Right, Home, End, PageUp, PageDown, F1 to F12, C-x (Control) and M-x (Alt), in any
// case of letters but for M-x; nothing when the word is no key.
std::optional<std::string> key_bytes(std::string_view word);

// All words as they would be typed: keys become their bytes, everything else is text.
std::string typed_bytes(const std::vector<std::string>& words);

}  // namespace sf::cli
