// The name of JSON in this project. Declarations need no more than this; sources that build or read
// JSON include <nlohmann/json.hpp>, which is slow to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace sf::wire {

using Json = nlohmann::json;

}  // namespace sf::wire
