// Names: accepted names contain no special characters; error messages quote rejected ones safely.
#include "control/names.h"

#include <algorithm>

#include "input.h"

namespace sf::fuzz {

void names(std::string_view input) {
  Status checked = control::check_name(input, "node name");
  if (!checked) {
    check_clear(checked.error(), ErrorCode::kInvalidArgument);
    const std::string& message = checked.error().message;
    SF_CHECK(!checked.error().hint.empty());
    SF_CHECK(message.size() < 2 * control::kMaxName + 64);
    SF_CHECK(
        std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    return;
  }
  SF_CHECK(!input.empty() && input.size() <= control::kMaxName);
  SF_CHECK(input.find_first_of("/~:.,&=?%#'\"\\ \n") == std::string_view::npos);
  SF_CHECK(input != "HEAD");
}

}  // namespace sf::fuzz
