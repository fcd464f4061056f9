// The API as OpenAPI 3.1: the text of openapi.json.
#pragma once

#include <string_view>

namespace sf::service {

std::string_view openapi_text();

}  // namespace sf::service
