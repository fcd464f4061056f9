// KnownInit: init is our own program. By itself it does nothing but wait for processes that nobody
// else waits for, so until it is asked for something it has the mappings, descriptors and settings
// that it had. Only what others can do to it has to be looked at again.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/native/facts.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

class KnownInit {
 public:
  // It was brought back as `image` has it, and has not been asked for anything.
  void restored(pid_t pid, const ProcessImage& image);
  // Ahead of the next capture: reads what is still to be known. Its pid; 0: it is not known at all.
  pid_t look();
  // Found so. `requests`: how many it has served; nothing: one may be under way.
  void captured(const ProcessFacts& facts, const ProcessImage& image,
                std::optional<std::uint64_t> requests);

  // Is all known of this one, who has served so many?
  bool knows(pid_t pid, std::optional<std::uint64_t> requests) const;
  // Requires: knows(). What was seen of it, without its threads.
  const ProcessFacts& facts() const { return *facts_; }
  // Requires: knows(). What it would answer, and what others may have done to it since.
  Status answer(ProcessImage& process) const;

 private:
  pid_t pid_ = 0;  // a child of this process, not waited for: nobody else gets it
  std::uint64_t requests_ = 0;
  long io_priority_ = 0;  // as others saw it
  std::optional<ProcessFacts> facts_;
  std::optional<ProcessImage> image_;  // without memory and descriptors
};

}  // namespace sf::waypoint::native
