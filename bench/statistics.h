// The few statistics that are printed of samples. Pure.
#pragma once

#include <vector>

namespace sf::bench {

// Zero of no samples.
double median(std::vector<double> values);
double minimum(const std::vector<double>& values);
// The smallest sample that is not below 90 % of all.
double percentile_90(std::vector<double> values);

}  // namespace sf::bench
