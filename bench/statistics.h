// Statistics of samples. Pure.
#pragma once

#include <vector>

namespace sf::bench {

// Zero if there are no samples.
double median(std::vector<double> values);
double minimum(const std::vector<double>& values);
// The smallest sample that is at least as large as 90 % of the samples.
double percentile_90(std::vector<double> values);

}  // namespace sf::bench
