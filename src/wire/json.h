// The name of JSON in this project. Declarations need no more than this; sources that build or read
// JSON include <nlohmann/json.hpp>, which is slow to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sf::wire {

using Json = nlohmann::json;

// Arguments and paths may hold any byte, JSON only text: each byte travels as the character of that
// number.
std::string bytes_to_text(const std::string& bytes);
std::string text_to_bytes(const std::string& text);

}  // namespace sf::wire
