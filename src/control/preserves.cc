#include "control/preserves.h"

#include <array>
#include <utility>

namespace sf::control {
namespace {

constexpr std::string_view kNothing = "nothing";
constexpr std::array<std::pair<Preserves::Part, std::string_view>, 5> kWords = {{
    {Preserves::kFiles, "files"},
    {Preserves::kShell, "shell"},
    {Preserves::kProcesses, "processes"},
    {Preserves::kMemory, "memory"},
    {Preserves::kLocalServices, "local_services"},
}};

}  // namespace

std::string to_words(Preserves preserves) {
  std::string text;
  for (const auto& [part, word] : kWords) {
    if (preserves.has(part)) text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text.empty() ? std::string(kNothing) : text;
}

Result<Preserves> preserves_from_words(std::string_view words) {
  Preserves result;
  if (words == kNothing) return result;
  while (true) {
    std::size_t comma = words.find(',');
    std::string_view word = words.substr(0, comma);
    bool known = false;
    for (const auto& [part, name] : kWords) {
      if (name != word) continue;
      result = result | part;
      known = true;
    }
    if (!known) {
      return invalid("no such part of a session: '" + std::string(word.substr(0, 32)) + "'",
                     "use files, shell, processes, memory, local_services or nothing");
    }
    if (comma == std::string_view::npos) return result;
    words.remove_prefix(comma + 1);
  }
}

}  // namespace sf::control
