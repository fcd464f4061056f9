#include "explore/apply/apply_plan.h"

#include <fnmatch.h>

namespace sf::explore {
namespace {

// A change of permissions alone is not a conflict.
bool same_content(const MaybeFile& a, const MaybeFile& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->is_link == b->is_link && a->content == b->content;
}

}  // namespace

ApplyStep decide(std::string path, MaybeFile before, MaybeFile wanted, MaybeFile host) {
  ApplyStep step{std::move(path), std::move(before),   std::move(wanted),
                 std::move(host), ApplyKind::kNothing, ""};
  if (step.host == step.wanted) return step;
  if (same_content(step.host, step.before) || same_content(step.host, step.wanted)) {
    step.kind = step.wanted ? ApplyKind::kWrite : ApplyKind::kRemove;
    return step;
  }
  step.kind = ApplyKind::kConflict;
  if (!step.host) {
    step.why = "the file was removed here";
  } else if (!step.before) {
    step.why = "a different file exists here";
  } else {
    step.why = "the file was changed here";
  }
  return step;
}

bool is_selected(const std::string& path, const std::vector<std::string>& patterns) {
  bool has_wanted = false;
  bool is_wanted = false;
  for (const std::string& pattern : patterns) {
    const bool excludes = pattern.starts_with("!");
    const std::string plain = excludes ? pattern.substr(1) : pattern;
    const bool matches = ::fnmatch(plain.c_str(), path.c_str(), 0) == 0 ||
                         path.starts_with(plain.ends_with("/") ? plain : plain + "/");
    if (excludes && matches) return false;
    has_wanted = has_wanted || !excludes;
    is_wanted = is_wanted || (!excludes && matches);
  }
  return !has_wanted || is_wanted;
}

}  // namespace sf::explore
