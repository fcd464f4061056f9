// ResourceLimits: the resource limits (setrlimit(2)) of a process, inherited by its children.
#pragma once

#include <sys/resource.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sf::os {

class ResourceLimits {
 public:
  static ResourceLimits of_this_process();
  // "1024:4096,-:-,...": the soft and hard limit of each resource, in the order of the resource
  // numbers; "-" for unlimited. nullopt if malformed. parse() and text() are pure.
  static std::optional<ResourceLimits> parse(std::string_view text);
  std::string text() const;

  // Sets the limits of this process as far as its privileges allow: a process without
  // CAP_SYS_RESOURCE cannot raise a hard limit. Async-signal-safe.
  void apply() const;

  bool operator==(const ResourceLimits& other) const { return text() == other.text(); }

 private:
  std::array<rlimit, RLIM_NLIMITS> limits_{};
};

}  // namespace sf::os
