// Both sides of `cp`: a file here, or an absolute path in a session; or it is said why neither.
#include "cli/copy_place.h"

#include "input.h"

namespace sf::fuzz {

void copy_place(std::string_view input) {
  auto place = cli::parse_place(std::string(input));
  if (!place) return check_clear(place.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(!place->path.empty());
  SF_CHECK(place->file_name().find('/') == std::string::npos);
  SF_CHECK(cli::inside("/d/", place->file_name()) == cli::inside("/d", place->file_name()));
  if (!place->session) {
    SF_CHECK(place->path == input);
    return;
  }
  SF_CHECK(place->path.front() == '/' && !place->is_stream());
  SF_CHECK(input.ends_with(":" + place->path));
  SF_CHECK(input.starts_with(place->session->session));
}

}  // namespace sf::fuzz
