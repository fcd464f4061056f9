// PrecapturePolicy: decides whether to precapture a branch. Pure: knows no processes and no time.
#pragma once

#include "base/clock.h"
#include "base/result.h"

namespace sf::waypoint {

class PrecapturePolicy {
 public:
  // `wanted`: the caller takes checkpoints and allows precapture. `may_hold`: at its last capture,
  // the branch could have been kept stopped.
  void begin(bool wanted, bool may_hold);
  // The branch was captured on request.
  void captured(bool wanted, bool may_hold, microseconds stopped);
  // Results of an attempt: precaptured() if the branch is captured and stopped; failed() otherwise,
  // which returns whether to try again. kUnsupported turns precapture off until the next capture on
  // request. All other errors may pass: a process moves, or the disk is full.
  void precaptured(microseconds took);
  bool failed(ErrorCode why);
  // A checkpoint used the precapture.
  void used(bool wanted);
  // A request is about to change the branch.
  void touched();

  bool wants() const { return wanted_ && may_hold_ && touched_ && unused_ < kMostUnused; }
  bool may_hold() const { return may_hold_; }

 private:
  static constexpr int kMostUnused = 8;
  static constexpr int kMostTries = 5;

  bool wanted_ = false;
  bool may_hold_ = false;
  bool touched_ = false;  // changed since the last capture
  bool stands_ = false;
  int unused_ = 0;  // precaptures discarded since the last checkpoint
  int tries_ = 0;   // attempts since the last change
};

}  // namespace sf::waypoint
