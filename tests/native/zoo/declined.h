// Resources that the native engine must decline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

struct Declined {
  std::string_view name;
  void (*make)(const std::string& path);  // the resource stays until the process ends
  std::string_view reason;                // part of the engine's error message
};

std::vector<Declined> declined_kinds();

}  // namespace zoo
