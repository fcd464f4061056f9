// StartConfig: what a new session is to be, in words that every backend understands. A backend
// refuses (kUnsupported) what it cannot honour; it does not ignore it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sf::control {

struct StartConfig {
  std::string root = "/";     // what the session sees as its files: a directory, an image
  std::string user = "root";  // as the root knows it
  std::string cwd = "/";
  std::string hostname;          // empty: the backend's own
  std::string network = "none";  // "none": a private loopback; "host"; what else a backend knows
  std::map<std::string, std::string> env;
  std::uint16_t rows = 40;
  std::uint16_t cols = 160;
  std::uint64_t memory_bytes = 0;  // limits; 0: none
  std::uint64_t max_pids = 0;
  std::uint32_t cpu_percent = 0;  // 150: one and a half
  std::vector<std::string> extra_capabilities;
  std::map<std::string, std::string> extra;  // a backend's own settings

  friend bool operator==(const StartConfig&, const StartConfig&) = default;
};

}  // namespace sf::control
