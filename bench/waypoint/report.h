// Report: formats samples as text and JSON and compares them with the limits. Pure.
#pragma once

#include <string>
#include <vector>

#include "facts.h"
#include "rounds.h"
#include "table.h"

namespace sf::bench {

std::string header_text(const Facts& facts, std::size_t rounds, Layout layout);
std::string report_text(const std::vector<TreeSamples>& trees, Layout layout);
std::string samples_json(const Facts& facts, const std::vector<TreeSamples>& trees);

}  // namespace sf::bench
