#include "cli/commands/standard_input.h"

#include <array>
#include <iostream>

namespace sf::cli {

Result<std::string> read_standard_input(std::size_t limit, const std::string& hint) {
  std::string text;
  std::array<char, 65536> piece{};
  while (std::cin.read(piece.data(), piece.size()) || std::cin.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > limit)
      return invalid("standard input has more than " + std::to_string(limit) + " bytes", hint);
  }
  return text;
}

}  // namespace sf::cli
