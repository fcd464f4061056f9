#include "latencies.h"

#include <algorithm>
#include <cmath>

namespace sf::bench {

Spread spread_of(std::vector<double> values_us) {
  if (values_us.empty()) return {};
  std::sort(values_us.begin(), values_us.end());
  auto at = [&](double share) {
    auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values_us.size())));
    return values_us[std::max<std::size_t>(rank, 1) - 1];
  };
  return {values_us.size(), at(0.5), at(0.99), values_us.back()};
}

}  // namespace sf::bench
