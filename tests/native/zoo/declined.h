// What the native engine declines, made to be seen to be declined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

struct Declined {
  std::string_view name;
  void (*make)(const std::string& path);  // what it makes stays until the process ends
  std::string_view reason;                // as the engine says it
};

std::vector<Declined> declined_kinds();

}  // namespace zoo
