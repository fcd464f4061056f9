#include "service/lifetimes.h"

namespace sf::service {

std::string_view to_string(Ending why) {
  if (why == Ending::kNone) return "none";
  return why == Ending::kTtl ? "ttl" : "idle";
}

void SessionUse::begin() {
  std::lock_guard lock(mutex_);
  users_ += 1;
}

void SessionUse::end() {
  std::lock_guard lock(mutex_);
  users_ -= 1;
  last_used_ = Clock::now();
}

void SessionUse::touch() {
  std::lock_guard lock(mutex_);
  last_used_ = Clock::now();
}

Ending SessionUse::ending(control::WallTime wall_now, Clock::time_point now) const {
  if (terms_.ttl > seconds(0) && wall_now - created_ >= terms_.ttl) return Ending::kTtl;
  std::lock_guard lock(mutex_);
  bool is_idle = terms_.idle > seconds(0) && users_ == 0 && now - last_used_ >= terms_.idle;
  return is_idle ? Ending::kIdle : Ending::kNone;
}

}  // namespace sf::service
