// The report of a run: a single HTML file without external resources. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::explore {

// `document`: the result of tree_document().
std::string report_page(const wire::Json& document);

}  // namespace sf::explore
