// Id<Tag>: a name with its own type, so that ids of two kinds cannot be mixed up. It is text
// because it becomes a directory name and is sent in JSON. Requires: is_valid_id() was checked
// before an id from outside is used in a path.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sf {

// Lower-case letters, digits and single inner dashes; 1 to 64 characters.
constexpr bool is_valid_id(std::string_view text) {
  if (text.empty() || text.size() > 64 || text.front() == '-' || text.back() == '-') return false;
  if (text.find("--") != std::string_view::npos) return false;
  for (char c : text) {
    bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (!ok) return false;
  }
  return true;
}

template <typename Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}
  const std::string& value() const { return value_; }
  bool empty() const { return value_.empty(); }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  auto operator<=>(const Id&) const = default;

 private:
  std::string value_;
};

template <typename Tag>
const std::string& to_string(const Id<Tag>& id) {
  return id.value();
}

}  // namespace sf

template <typename Tag>
struct std::hash<sf::Id<Tag>> {
  std::size_t operator()(const sf::Id<Tag>& id) const noexcept {
    return std::hash<std::string>()(id.value());
  }
};
