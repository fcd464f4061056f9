#include "engine/criu/losses.h"

#include <thread>

#include "base/clock.h"

namespace sf::waypoint::criu {

std::vector<Running> running_in(pid_t init) {
  std::vector<Running> all;
  for (pid_t pid : os::process_tree(init)) {
    auto key = os::process_key(pid);
    auto inside = os::namespace_pid(pid);
    if (key && inside)
      all.push_back({*key, std::to_string(*inside) + " (" + os::process_name(pid) + ")"});
  }
  return all;
}

Error with_losses(Error error, const std::vector<Running>& before) {
  constexpr auto kDeathTime = milliseconds(50);
  if (error.code != ErrorCode::kOs) return error;
  std::this_thread::sleep_for(kDeathTime);
  std::string lost;
  for (const Running& process : before) {
    if (!os::is_alive(process.key)) lost += (lost.empty() ? "" : ", ") + process.name;
  }
  if (lost.empty()) return error;
  error.message += "; processes that have ended since: " + lost;
  return std::move(error).with_hint("if you need one of them, restore the previous checkpoint");
}

}  // namespace sf::waypoint::criu
