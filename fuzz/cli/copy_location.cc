// The arguments of `cp`: a local file, an absolute path in a session, or an error with a reason.
#include "cli/commands/copy_location.h"

#include "input.h"

namespace sf::fuzz {

void copy_location(std::string_view input) {
  auto location = cli::parse_location(std::string(input));
  if (!location) return check_clear(location.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(!location->path.empty());
  SF_CHECK(location->file_name().find('/') == std::string::npos);
  SF_CHECK(cli::inside("/d/", location->file_name()) == cli::inside("/d", location->file_name()));
  if (!location->session) {
    SF_CHECK(location->path == input);
    return;
  }
  SF_CHECK(location->path.front() == '/' && !location->is_stream());
  SF_CHECK(input.ends_with(":" + location->path));
  SF_CHECK(input.starts_with(location->session->session));
}

}  // namespace sf::fuzz
