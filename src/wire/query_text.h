// The part of an address behind its question mark: a=1&b=two%20words. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::wire {

// %XX and + decoded. kInvalidArgument: a broken %, or a name that stands twice.
Result<std::map<std::string, std::string>> parse_query(std::string_view text);

}  // namespace sf::wire
