#include "roots/root_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "roots/json_members.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

using wire::Json;

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMinPrefix = 6;
constexpr std::string_view kAlgorithm = "sha256:";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

Status check_root_name(std::string_view name) {
  auto fits = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-' || c == ':';
  };
  const bool looks_like_other =
      name.starts_with(kAlgorithm) || name.starts_with("image:") || is_sha256_digits(name);
  if (!name.empty() && name.size() <= kMaxName && is_letter_or_digit(name.front()) &&
      std::all_of(name.begin(), name.end(), fits) && !looks_like_other)
    return Ok{};
  return invalid("'" + std::string(name.substr(0, kMaxName)) + "' is not a valid name for a root",
                 "use letters, digits and . _ - : with a letter or digit first, as in debian:12");
}

std::string to_text(const RootNames& names) {
  return Json{{"version", kVersion}, {"names", names}}.dump(2) + "\n";
}

Result<RootNames> parse_root_names(std::string_view text) {
  const std::string what = "the names of roots";
  SF_TRY_ASSIGN(Json json, parse_json(text, what));
  JsonMembers members(json, what);
  const std::uint64_t version = members.number("version");
  const Json& table = members.object("names");
  SF_TRY(members.done());
  if (version != kVersion) return fail(ErrorCode::kCorrupt, what + ": unknown version");
  RootNames names;
  for (const auto& [name, digest] : table.items()) {
    if (!digest.is_string()) return fail(ErrorCode::kCorrupt, what + ": no digest for " + name);
    names[name] = digest.get<std::string>();
    SF_TRY(digest_digits(names[name]));
  }
  return names;
}

Result<std::string> find_root(std::string_view word, const RootNames& names,
                              const std::vector<std::string>& digests) {
  if (auto named = names.find(std::string(word)); named != names.end()) return named->second;
  const std::string shown(word);
  if (word.starts_with(kAlgorithm)) word.remove_prefix(kAlgorithm.size());
  std::vector<std::string> found;
  for (const std::string& digest : digests) {
    if (word.size() >= kMinPrefix && digest.substr(kAlgorithm.size()).starts_with(word))
      found.push_back(digest);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(ErrorCode::kNotFound, "there is no root '" + shown + "'",
                "`statefork root ls` lists them");
  return invalid("more than one root begins with '" + shown + "'", "give more digits of it");
}

}  // namespace sf::roots
