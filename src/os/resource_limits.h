// ResourceLimits: what setrlimit() bounds for a process and those it starts.
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
  // "1024:4096,-:-,...": soft and hard limit of each resource in the order of their numbers, "-"
  // for none. Nothing: malformed. Pure, as is text().
  static std::optional<ResourceLimits> parse(std::string_view text);
  std::string text() const;

  // As far as this process may: who lacks CAP_SYS_RESOURCE cannot raise a hard limit.
  // Async-signal-safe.
  void apply() const;

  bool operator==(const ResourceLimits& other) const { return text() == other.text(); }

 private:
  std::array<rlimit, RLIM_NLIMITS> limits_{};
};

}  // namespace sf::os
