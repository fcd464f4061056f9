// LoopbackGate: while closed, drops all packets on the loopback interface of this network
// namespace. TCP retransmits them later, so that sockets can be restored one after the other
// without their peers rejecting data.
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
