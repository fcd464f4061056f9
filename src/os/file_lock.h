// A file that one process holds at a time. The lock goes with the descriptor, so a killed owner
// leaves none; whoever it had just forked may hold it for a moment longer.
#pragma once

#include <functional>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

// Waits for the lock; false when somebody still holds it at the deadline, or when `give_up` says
// that waiting is in vain.
Result<bool> take_lock(const UniqueFd& file, Deadline deadline,
                       const std::function<bool()>& give_up = {});

}  // namespace sf::os
