#include "waypoint/speculation/precapture_policy.h"

namespace sf::waypoint {
namespace {

constexpr auto kQuick = milliseconds(50);  // a command may arrive during the capture

}  // namespace

void PrecapturePolicy::begin(bool wanted, bool may_hold) {
  wanted_ = wanted;
  may_hold_ = may_hold;
}

void PrecapturePolicy::captured(bool wanted, bool may_hold, microseconds stopped) {
  begin(wanted, may_hold && stopped <= kQuick);
  touched_ = stands_ = false;
  unused_ = 0;
}

void PrecapturePolicy::precaptured(microseconds took) {
  if (took > kQuick) may_hold_ = false;  // the next one could delay a command
  touched_ = false;
  stands_ = true;
}

bool PrecapturePolicy::failed(ErrorCode why) {
  if (why == ErrorCode::kUnsupported) may_hold_ = false;
  return may_hold_ && ++tries_ < kMostTries;
}

void PrecapturePolicy::used(bool wanted) {
  wanted_ = wanted;
  touched_ = stands_ = false;
  unused_ = 0;
}

void PrecapturePolicy::touched() {
  if (stands_) ++unused_;
  stands_ = false;
  touched_ = true;
  tries_ = 0;
}

}  // namespace sf::waypoint
