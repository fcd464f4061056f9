// Latencies: the durations of each kind of call and their statistics. Pure.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sf::bench {

struct Spread {
  std::size_t count = 0;
  double median_us = 0;
  double p99_us = 0;
  double max_us = 0;
};

Spread spread_of(std::vector<double> values_us);

class Latencies {  // Thread-safe.
 public:
  template <typename Call>
  auto measure(const std::string& what, Call call) {
    auto start = std::chrono::steady_clock::now();
    auto result = call();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    std::lock_guard lock(mutex_);
    values_[what].push_back(took.count());
    return result;
  }
  void forget() {
    std::lock_guard lock(mutex_);
    values_.clear();
  }
  std::map<std::string, std::vector<double>> values() const {
    std::lock_guard lock(mutex_);
    return values_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace sf::bench
