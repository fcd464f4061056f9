// Quotes words for a shell. Pure.
#pragma once

#include <string>

namespace sf {

// `word` in single quotes; any content is allowed.
inline std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace sf
