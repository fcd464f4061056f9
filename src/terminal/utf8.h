// Encodes and decodes single code points. Requires: the input is valid, as from EscapeParser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sf::waypoint {

inline void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// Decodes the code point that starts at `at` and moves `at` past it.
inline char32_t next_code_point(std::string_view valid, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(valid[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t c = lead & (0x3fU >> more);
  for (int i = 0; i < more && at < valid.size(); ++i)
    c = (c << 6) | (static_cast<unsigned char>(valid[at++]) & 0x3fU);
  return c;
}

}  // namespace sf::waypoint
