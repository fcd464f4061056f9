// S and S/B: the formatted parts are the same address again, and they survive the path of a
// request.
#include "cli/commands/session_address.h"

#include "client/api_client.h"
#include "input.h"
#include "wire/query_text.h"

namespace sf::fuzz {

void session_address(std::string_view input) {
  const std::string part = client::path_part(input);
  SF_CHECK(part.find_first_of("/?#&=+ ") == std::string::npos);
  if (!input.empty()) SF_CHECK(wire::parse_query("x=" + part).value().at("x") == input);

  auto address = cli::parse_address(input);
  if (!address) return check_clear(address.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(!address->session.empty() && !address->branch.empty());
  auto again = cli::parse_address(address->session + "/" + address->branch);
  SF_CHECK(again.ok());
  SF_CHECK(again->session == address->session && again->branch == address->branch);
  SF_CHECK(address->branch_path() == "/v1/sessions/" + client::path_part(address->session) +
                                         "/branches/" + client::path_part(address->branch));
}

}  // namespace sf::fuzz
