#include "wire/json.h"

namespace sf::wire {

std::string bytes_to_text(const std::string& bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    if (byte >= 0x80) text.push_back(static_cast<char>(0xc0U | byte >> 6U));
    text.push_back(static_cast<char>(byte >= 0x80 ? 0x80U | (byte & 0x3fU) : byte));
  }
  return text;
}

std::string text_to_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0xc0 && i + 1 < text.size())
      c = static_cast<unsigned char>(c << 6U | (static_cast<unsigned char>(text[++i]) & 0x3fU));
    bytes.push_back(static_cast<char>(c));
  }
  return bytes;
}

}  // namespace sf::wire
