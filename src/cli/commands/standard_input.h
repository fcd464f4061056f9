// Standard input as one text.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::cli {

// Reads standard input to its end. Fails as soon as it exceeds `limit` bytes.
Result<std::string> read_standard_input(std::size_t limit, const std::string& hint);

}  // namespace sf::cli
