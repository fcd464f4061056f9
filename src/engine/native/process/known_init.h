// KnownInit: what the engine knows about init, which is our own program. Init only waits for
// orphans until it gets a request, so its mappings, descriptors and settings stay the same. Only
// what other processes can change must be read again.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/native/facts.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

class KnownInit {
 public:
  // Init was restored from `image` and has served no request yet.
  void restored(pid_t pid, const ProcessImage& image);
  // Reads missing facts ahead of the next capture. Returns init's pid; 0: unknown.
  pid_t look();
  // Init was captured. `requests`: how many it has served; nothing: one may be in progress.
  void captured(const ProcessFacts& facts, const ProcessImage& image,
                std::optional<std::uint64_t> requests);

  // True if everything is known about this process, and it has served exactly `requests` requests.
  bool knows(pid_t pid, std::optional<std::uint64_t> requests) const;
  // The known facts; its threads must be read again. Requires: knows().
  const ProcessFacts& facts() const { return *facts_; }
  // Fills in what init would report, and what others may have changed since. Requires: knows().
  Status answer(ProcessImage& process) const;

 private:
  pid_t pid_ = 0;  // a child of this process, not reaped: its pid is not reused
  std::uint64_t requests_ = 0;
  long io_priority_ = 0;  // as other processes see it
  std::optional<ProcessFacts> facts_;
  std::optional<ProcessImage> image_;  // without memory and descriptors
};

}  // namespace sf::waypoint::native
