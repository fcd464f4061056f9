#include "waypoint/capture_plan.h"

namespace sf::waypoint {
namespace {

constexpr auto kQuick = milliseconds(50);  // a command may come while it is captured

}  // namespace

void CapturePlan::begin(bool wanted, bool may_hold) {
  wanted_ = wanted;
  may_hold_ = may_hold;
}

void CapturePlan::captured(bool wanted, bool may_hold, microseconds stopped) {
  begin(wanted, may_hold && stopped <= kQuick);
  touched_ = stands_ = false;
  unused_ = 0;
}

void CapturePlan::captured_ahead(microseconds took) {
  if (took > kQuick) may_hold_ = false;  // at the next one somebody may have to wait
  touched_ = false;
  stands_ = true;
}

void CapturePlan::refused() { may_hold_ = false; }

void CapturePlan::used(bool wanted) {
  wanted_ = wanted;
  touched_ = stands_ = false;
  unused_ = 0;
}

void CapturePlan::touched() {
  if (stands_) ++unused_;
  stands_ = false;
  touched_ = true;
  tries_ = 0;
}

}  // namespace sf::waypoint
