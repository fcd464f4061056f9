#include "control/cost_model.h"

#include <algorithm>
#include <cmath>

namespace sf::control {
namespace {

struct Point {
  double x = 0;  // MiB
  double y = 0;  // microseconds
  double weight = 1;
};

// The prior is two distant points of almost no weight. They decide only what the samples leave
// open.
constexpr double kPriorNearWeight = 1e-3;
constexpr double kPriorFarWeight = 1e-5;
constexpr double kPriorFarMib = 1024;

constexpr double kHuber = 1.345;        // 95 % efficient when the noise is normal
constexpr double kMadToSigma = 1.4826;  // likewise
constexpr double kSmallestSigma = 1;    // one microsecond
constexpr int kRounds = 10;

double at(const CostLine& line, double x) { return line.alpha_us_per_mib * x + line.beta_us; }

CostLine least_squares(const std::vector<Point>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const Point& p : points) {
    w += p.weight;
    wx += p.weight * p.x;
    wy += p.weight * p.y;
    wxx += p.weight * p.x * p.x;
    wxy += p.weight * p.x * p.y;
  }
  double alpha = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  double beta = (wy - alpha * wx) / w;
  if (alpha < 0) return {0, std::max(0.0, wy / w)};
  if (beta < 0) return {std::max(0.0, wxy / wxx), 0};
  return {alpha, beta};
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

CostLine fit_cost_line(const CostLine& prior, const std::deque<CostSample>& samples) {
  if (samples.empty()) return prior;
  std::vector<Point> points;
  for (const CostSample& s : samples)
    points.push_back({to_mib(s.memory_bytes), static_cast<double>(s.took.count()), 1});
  const std::size_t measured = points.size();
  points.push_back({0, at(prior, 0), kPriorNearWeight});
  points.push_back({kPriorFarMib, at(prior, kPriorFarMib), kPriorFarWeight});

  CostLine line = least_squares(points);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> residuals;
    for (std::size_t i = 0; i < measured; ++i)
      residuals.push_back(std::abs(points[i].y - at(line, points[i].x)));
    double limit = kHuber * std::max(kSmallestSigma, kMadToSigma * median(residuals));
    for (std::size_t i = 0; i < measured; ++i)
      points[i].weight = residuals[i] <= limit ? 1 : limit / residuals[i];
    line = least_squares(points);
  }
  return line;
}

void CostModel::add(const CostSample& sample) {
  samples_.push_back(sample);
  if (samples_.size() > kWindow) samples_.pop_front();
  line_ = fit_cost_line(prior_, samples_);
}

}  // namespace sf::control
