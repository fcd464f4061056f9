// Compares backends: all of them take part in every round, so that other load on the machine
// affects all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/backend.h"
#include "substrates/results.h"

namespace sf::bench {

struct Contender {
  std::string name;
  std::unique_ptr<control::Backend> backend;
};

struct Plan {
  std::string root;
  int rounds = 5;
  std::vector<int> sizes = {0, 64, 256, 1024};  // MB
  std::vector<int> depths = {1, 10, 50, 100, 200, 400};
  std::vector<int> widths = {1, 10, 50};
  std::function<void(const std::string&)> progress;
};

// A backend that fails is skipped for the rest of that part; its results contain the reason.
std::vector<Point> measure_states(std::vector<Contender>& contenders, const Plan& plan,
                                  State state);
std::vector<Tax> measure_taxes(std::vector<Contender>& contenders, const Plan& plan);
std::vector<Depth> measure_depths(std::vector<Contender>& contenders, const Plan& plan);
std::vector<Width> measure_widths(std::vector<Contender>& contenders, const Plan& plan);

}  // namespace sf::bench
