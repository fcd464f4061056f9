#include "cli/commands/session_address.h"

#include "client/api_client.h"

namespace sf::cli {

std::string SessionAddress::session_path() const {
  return "/v1/sessions/" + client::path_part(session);
}

std::string SessionAddress::branch_path() const {
  return session_path() + "/branches/" + client::path_part(branch);
}

std::string SessionAddress::node_path(const std::string& node) const {
  return session_path() + "/nodes/" + client::path_part(node) + client::query({{"branch", branch}});
}

Result<SessionAddress> parse_address(std::string_view text) {
  SessionAddress address;
  std::size_t slash = text.find('/');
  address.session = text.substr(0, slash);
  if (slash != std::string_view::npos) {
    address.branch = text.substr(slash + 1);
    address.names_branch = true;
  }
  if (address.session.empty() || address.branch.empty() ||
      address.branch.find('/') != std::string::npos)
    return invalid("'" + std::string(text) + "' is not a session",
                   "give SESSION, or SESSION/BRANCH for a branch other than main");
  return address;
}

}  // namespace sf::cli
