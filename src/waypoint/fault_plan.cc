#include "waypoint/fault_plan.h"

#include <csignal>

namespace sf::waypoint {

Status FaultPlan::at(std::string_view point) const {
  if (point == die_at) ::raise(SIGKILL);
  if (point == fail_at) return fail(ErrorCode::kOs, "injected fault at " + std::string(point));
  return Ok{};
}

}  // namespace sf::waypoint
