// An exclusive file lock (flock). It is released when the descriptor is closed, so a killed owner
// leaves none. A child that the owner has just forked may hold it a little longer.
#pragma once

#include <functional>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

// Waits for the lock. Returns false if another process still holds it at the deadline, or if
// `give_up` returns true.
Result<bool> take_lock(const UniqueFd& file, Deadline deadline,
                       const std::function<bool()>& give_up = {});

}  // namespace sf::os
