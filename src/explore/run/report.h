// The report of a run: one HTML file that needs nothing else. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::explore {

// `document`: what tree_document() makes.
std::string report_page(const wire::Json& document);

}  // namespace sf::explore
