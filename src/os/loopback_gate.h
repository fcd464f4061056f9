// LoopbackGate: drops everything sent over the loopback interface of this network namespace while
// it is closed. TCP sends it again later; so sockets can be put together one after the other
// without their peers refusing data.
#pragma once

#include "base/result.h"

namespace sf::os {

class LoopbackGate {
 public:
  static Result<LoopbackGate> close();
  LoopbackGate(LoopbackGate&& other) noexcept : closed_(other.closed_) { other.closed_ = false; }
  LoopbackGate& operator=(LoopbackGate&&) = delete;
  ~LoopbackGate();
  Status open();

 private:
  LoopbackGate() = default;
  bool closed_ = true;
};

}  // namespace sf::os
