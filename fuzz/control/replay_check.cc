// A divergence in an error's details: absent, or read completely and unchanged by a round trip.
#include "control/replay_check.h"

#include "input.h"

namespace sf::fuzz {

void replay_check(std::string_view input) {
  Input in(input);
  Error error = fail(ErrorCode::kDiverged, "diverged");
  while (!in.is_empty()) {
    std::string key(in.until('='));
    error.details[key] = in.until('\0');
  }
  auto divergence = control::divergence_of(error);
  if (!divergence) return;
  Error again = control::to_error(*divergence);
  check_clear(again, ErrorCode::kDiverged);
  SF_CHECK(control::divergence_of(again) == divergence);
}

}  // namespace sf::fuzz
