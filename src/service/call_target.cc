#include "service/call_target.h"

#include <charconv>

namespace sf::service {

Result<BranchTarget> branch_target(SessionDirectory& directory, const Call& call) {
  SF_TRY(control::check_name(call.names[1], "branch"));
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return BranchTarget{std::move(session), control::BranchId(call.names[1])};
}

std::string parameter(const Call& call, const std::string& key, const std::string& fallback) {
  auto found = call.query.find(key);
  return found == call.query.end() ? fallback : found->second;
}

Result<std::uint64_t> number_parameter(const Call& call, const std::string& key,
                                       std::uint64_t fallback, std::uint64_t max) {
  auto found = call.query.find(key);
  if (found == call.query.end()) return fallback;
  const std::string& text = found->second;
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > max)
    return invalid("\"" + key + "\" must be a number from 0 to " + std::to_string(max));
  return number;
}

}  // namespace sf::service
