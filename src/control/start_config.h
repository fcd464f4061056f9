// StartConfig: the settings of a new session, in terms that every backend understands. A backend
// refuses a setting that it does not support (kUnsupported); it never ignores one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sf::control {

struct StartConfig {
  std::string root = "/";     // the session's files: a directory or an image
  std::string user = "root";  // a user of the root
  std::string cwd = "/";
  std::string hostname;          // empty: the backend's default
  std::string network = "none";  // "none": a private loopback; "host"; or a value of the backend
  std::map<std::string, std::string> env;
  std::uint16_t rows = 40;
  std::uint16_t cols = 160;
  std::uint64_t memory_bytes = 0;  // limits; 0: no limit
  std::uint64_t max_pids = 0;
  std::uint32_t cpu_percent = 0;  // 150: one and a half CPUs
  std::vector<std::string> extra_capabilities;
  std::map<std::string, std::string> extra;  // a backend's own settings

  friend bool operator==(const StartConfig&, const StartConfig&) = default;
};

}  // namespace sf::control
