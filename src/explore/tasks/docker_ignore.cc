#include "explore/tasks/docker_ignore.h"

#include <fnmatch.h>

#include <span>

#include "base/split.h"

namespace sf::explore {
namespace {

constexpr const char* kAnyDirectories = "**";

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// Splits and normalises a path: "./a//b/../c/" becomes a, c.
std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  for (const std::string& name : split(std::string(path), '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
    } else if (!names.empty()) {
      names.pop_back();
    }
  }
  return names;
}

bool matches(std::span<const std::string> pattern, std::span<const std::string> names) {
  if (pattern.empty()) return names.empty();
  if (pattern.front() == kAnyDirectories) {
    if (pattern.size() == 1) return !names.empty();  // the contents, not the directory itself
    for (std::size_t skipped = 0; skipped <= names.size(); ++skipped) {
      if (matches(pattern.subspan(1), names.subspan(skipped))) return true;
    }
    return false;
  }
  return !names.empty() && ::fnmatch(pattern.front().c_str(), names.front().c_str(), 0) == 0 &&
         matches(pattern.subspan(1), names.subspan(1));
}

// True if the pattern matches the path or a directory above it.
bool matches_at_or_above(std::span<const std::string> pattern, std::span<const std::string> names) {
  for (std::size_t count = 1; count <= names.size(); ++count) {
    if (matches(pattern, names.first(count))) return true;
  }
  return false;
}

}  // namespace

IgnoreRules::IgnoreRules(std::string_view text) {
  for (const std::string& line : split(std::string(text), '\n')) {
    if (line.starts_with("#")) continue;
    std::string pattern = trimmed(line);
    const bool takes_back = pattern.starts_with("!");
    if (takes_back) pattern = trimmed(pattern.substr(1));
    std::vector<std::string> parts = names_of(pattern);
    if (!parts.empty()) rules_.push_back({std::move(parts), takes_back});
  }
}

bool IgnoreRules::ignores(std::string_view path) const {
  const std::vector<std::string> names = names_of(path);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (matches_at_or_above(rule->parts, names)) return !rule->takes_back;
  }
  return false;
}

}  // namespace sf::explore
