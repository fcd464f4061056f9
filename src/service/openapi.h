// The API as OpenAPI 3.1: openapi.json, as it is in the sources.
#pragma once

#include <string_view>

namespace sf::service {

std::string_view openapi_text();

}  // namespace sf::service
