// Reasons for a failed capture: the texts of /proc and CRIU's log may be truncated or malformed.
#include <algorithm>

#include "engine/criu/criu_blockers.h"
#include "input.h"

namespace sf::fuzz {

void blockers(std::string_view input) {
  Input in(input);
  std::size_t most = in.byte() % 8U;
  const std::string text(in.rest());
  std::string errors = waypoint::first_errors(text, most);
  SF_CHECK(errors.find('\n') == std::string::npos);
  SF_CHECK(most > 0 || errors.empty());
  auto pid = waypoint::pid_in_branch(text, most);
  SF_CHECK(!pid || *pid > 0);

  std::vector<waypoint::ProcessFacts> facts(1);
  for (std::size_t end = 0, at = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    facts[0].descriptors.push_back({static_cast<int>(at), text.substr(at, end - at)});
  }
  for (const waypoint::Blocker& one : waypoint::find_blockers(facts))
    SF_CHECK(!one.what.empty() && !one.why.empty() && !one.advice.empty());
}

}  // namespace sf::fuzz
