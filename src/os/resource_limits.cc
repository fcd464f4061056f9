#include "os/resource_limits.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/split.h"

namespace sf::os {
namespace {

constexpr std::string_view kNone = "-";

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? std::string(kNone) : std::to_string(limit);
}

bool read_limit(std::string_view text, rlim_t& limit) {
  if (text == kNone) {
    limit = RLIM_INFINITY;
    return true;
  }
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

ResourceLimits ResourceLimits::of_this_process() {
  ResourceLimits found;
  for (unsigned i = 0; i < found.limits_.size(); ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &found.limits_[i]);
  return found;
}

std::optional<ResourceLimits> ResourceLimits::parse(std::string_view text) {
  ResourceLimits found;
  const std::vector<std::string> words = split(text, ',');
  if (words.size() != found.limits_.size()) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    rlimit& limit = found.limits_[i];
    if (!read_limit(word.substr(0, colon), limit.rlim_cur) ||
        !read_limit(word.substr(colon + 1), limit.rlim_max) || limit.rlim_cur > limit.rlim_max)
      return std::nullopt;
  }
  return found;
}

std::string ResourceLimits::text() const {
  std::string text;
  for (const rlimit& limit : limits_)
    text +=
        (text.empty() ? "" : ",") + limit_text(limit.rlim_cur) + ":" + limit_text(limit.rlim_max);
  return text;
}

void ResourceLimits::apply() const {
  for (unsigned i = 0; i < limits_.size(); ++i) {
    const auto resource = static_cast<__rlimit_resource>(i);
    if (::setrlimit(resource, &limits_[i]) == 0) continue;
    rlimit now{};
    if (::getrlimit(resource, &now) != 0) continue;
    const rlim_t hard = std::min(now.rlim_max, limits_[i].rlim_max);
    const rlimit nearest{std::min(limits_[i].rlim_cur, hard), hard};
    ::setrlimit(resource, &nearest);
  }
}

}  // namespace sf::os
