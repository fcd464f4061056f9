// Parses the query of an address, such as a=1&b=two%20words. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::wire {

// Decodes %XX and +. kInvalidArgument: an invalid %, or a repeated name.
Result<std::map<std::string, std::string>> parse_query(std::string_view text);

}  // namespace sf::wire
