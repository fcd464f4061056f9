#include "roots/layer_rules.h"

#include "base/split.h"

namespace sf::roots {
namespace {

constexpr std::string_view kHide = ".wh.";
constexpr std::string_view kInternal = ".wh..wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";

}  // namespace

Result<std::string> path_in_root(std::string_view name) {
  std::string path;
  for (const std::string& part : split(name, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..")
      return fail(ErrorCode::kCorrupt, "'" + std::string(name) + "' points outside the archive");
    path += "/" + part;
  }
  if (name.empty()) return fail(ErrorCode::kCorrupt, "the archive has a member without a name");
  return path.empty() ? "/" : path;
}

PathParts split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return {std::string(slash == 0 ? "/" : path.substr(0, slash)),
          std::string(path.substr(slash + 1))};
}

LayerMark layer_mark(std::string_view name) {
  using Kind = LayerMark::Kind;
  if (name == kOpaque) return {Kind::kHidesAll, {}};
  if (name.starts_with(kInternal)) return {Kind::kNoise, {}};
  if (!name.starts_with(kHide)) return {};
  const std::string hidden(name.substr(kHide.size()));
  // Such a name is a directory or one of its parents, not a file.
  if (hidden.empty() || hidden == "." || hidden == "..") return {Kind::kNoise, {}};
  return {Kind::kHidesOne, hidden};
}

bool keeps_attribute(std::string_view name) {
  if (name.starts_with("user.overlay.")) return false;
  return name == "security.capability" || name.starts_with("user.");
}

}  // namespace sf::roots
