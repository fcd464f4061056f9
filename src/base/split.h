// split: the parts of a text between separators, for the line formats of /proc and /etc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sf {

// A trailing separator adds no empty part: "a:b:" has two parts, "" has none, "a::b" has three.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

}  // namespace sf
