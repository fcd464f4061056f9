// Declares the JSON type. Headers include only this file. Sources that build or read JSON include
// <nlohmann/json.hpp>, which is slow to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sf::wire {

using Json = nlohmann::json;

// Arguments and paths may hold any byte, but JSON holds only text. These functions represent each
// byte by the code point of the same number.
std::string bytes_to_text(const std::string& bytes);
std::string text_to_bytes(const std::string& text);

}  // namespace sf::wire
