// PrecapturePolicy: whether a branch is captured before anybody asks for it. Pure: knows no
// processes and no time.
#pragma once

#include "base/clock.h"
#include "base/result.h"

namespace sf::waypoint {

class PrecapturePolicy {
 public:
  // `wanted`: somebody takes checkpoints, and may have them taken ahead. `may_hold`: at the last
  // one the branch could have been kept still.
  void begin(bool wanted, bool may_hold);
  // It was captured for somebody who had asked.
  void captured(bool wanted, bool may_hold, microseconds stopped);
  // It was captured ahead, and stands.
  void precaptured(microseconds took);
  // It could not be. Returns whether that is worth another try. kUnsupported: not until somebody
  // asks for a checkpoint. All else may pass: something moves, or a disk is full.
  bool failed(ErrorCode why);
  // Somebody asked and got what had been captured ahead.
  void used(bool wanted);
  // Something is about to move it.
  void touched();

  bool wants() const { return wanted_ && may_hold_ && touched_ && unused_ < kMostUnused; }
  bool may_hold() const { return may_hold_; }

 private:
  static constexpr int kMostUnused = 8;
  static constexpr int kMostTries = 5;

  bool wanted_ = false;
  bool may_hold_ = false;
  bool touched_ = false;  // since it was captured
  bool stands_ = false;
  int unused_ = 0;  // captured for nothing since somebody asked
  int tries_ = 0;   // since something moved it
};

}  // namespace sf::waypoint
