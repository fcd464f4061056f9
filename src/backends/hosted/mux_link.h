// MuxLink: the host's end of a relay's stream. It opens connections to the agent behind the relay.
// Thread-safe; runs its own thread.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/fd.h"

namespace sf::backends {

class MuxLink {
 public:
  // Requires: `in` and `out` are different descriptors.
  static Result<std::unique_ptr<MuxLink>> start(os::UniqueFd in, os::UniqueFd out);
  ~MuxLink();
  MuxLink(const MuxLink&) = delete;
  MuxLink& operator=(const MuxLink&) = delete;

  // kNotFound: the stream has ended.
  Result<os::UniqueFd> connect();
  bool ended() const;

 private:
  class Loop;
  explicit MuxLink(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace sf::backends
