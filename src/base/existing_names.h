// existing_names: the hint of an error about a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sf {

inline constexpr std::size_t kNamesInHint = 5;

// "sessions: a, b", or "there are no sessions". After the fifth name: ", ...".
inline std::string existing_names(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return "there are no " + std::string(what);
  std::string text = std::string(what) + ": ";
  for (std::size_t i = 0; i < names.size() && i < kNamesInHint; ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kNamesInHint ? text + ", ..." : text;
}

}  // namespace sf
