// Finds keepers and their processes by command line and parent, so that a test can kill them, and
// polls for conditions.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"

namespace sf::faults {

enum class CriuWork { kCapture, kRestore };
// The keeper's CRIU process for this work, waiting or busy. The one for restores is in the branch's
// cgroup.
std::optional<pid_t> criu_of(pid_t keeper, CriuWork work);
// PID 1 of the keeper's branch.
std::optional<pid_t> init_of(pid_t keeper);
// True if a process of this name runs in the keeper's branch.
bool runs_in_branch_of(pid_t keeper, const std::string& name);

// Processes with `text` in their command line.
std::set<pid_t> processes_like(const std::string& text);
// Keepers of this store: of branches, of prerestored trees, and spares.
std::set<pid_t> keepers_of(const std::string& store);
// Keepers of this store that have no processes yet.
std::set<pid_t> spare_keepers(const std::string& store);

// Polls every millisecond; returns false if the deadline passes first.
bool becomes_true(const std::function<bool()>& condition, Deadline deadline);

}  // namespace sf::faults
