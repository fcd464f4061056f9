// Words as a shell takes them. Pure.
#pragma once

#include <string>

namespace sf {

// One word, whatever it holds.
inline std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace sf
