// Standard input as one text.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::cli {

// All of it, up to `limit` bytes; more is refused before it is read.
Result<std::string> read_standard_input(std::size_t limit, const std::string& hint);

}  // namespace sf::cli
