#include "engine/blocker.h"

#include <nlohmann/json.hpp>

#include "wire/json.h"

namespace sf::waypoint {

Error refuse_capture(const std::vector<Blocker>& blockers, const std::string& remark) {
  std::string text;
  wire::Json all = wire::Json::array();
  for (const Blocker& b : blockers) {
    text += (text.empty() ? "process " : "; process ") + std::to_string(b.pid) + " (" + b.process +
            "), " + b.what + ": " + b.why;
    all.push_back({{"pid", b.pid},
                   {"process", b.process},
                   {"what", b.what},
                   {"why", b.why},
                   {"advice", b.advice}});
  }
  Error error = fail(ErrorCode::kUnsupported, "cannot capture " + text + remark,
                     blockers.empty() ? "" : blockers.front().advice);
  // The values of `details` are strings.
  error.details["blockers"] = all.dump(-1, ' ', false, wire::Json::error_handler_t::replace);
  return error;
}

}  // namespace sf::waypoint
