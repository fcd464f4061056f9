// Timing: the clock, the sleep and the random jitter of a client. Tests inject their own.
#pragma once

#include <functional>
#include <random>
#include <thread>

#include "base/clock.h"

namespace sf::explore::llm {

struct Timing {
  std::function<Clock::time_point()> now = [] { return Clock::now(); };
  std::function<void(Clock::duration)> sleep = [](Clock::duration span) {
    std::this_thread::sleep_for(span);
  };
  std::function<double()> jitter = [] {  // from 0 to 1
    std::random_device device;
    return std::generate_canonical<double, 32>(device);
  };
};

}  // namespace sf::explore::llm
