// Finds keepers and their processes by what they are, so that a test can kill them, and waits for
// conditions nobody announces.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"

namespace sf::faults {

enum class CriuWork { kCapture, kRestore };
// The keeper's CRIU process for this work, waiting or busy. The one that restores lives in the
// branch's cgroup.
std::optional<pid_t> criu_of(pid_t keeper, CriuWork work);
// PID 1 of the keeper's branch.
std::optional<pid_t> init_of(pid_t keeper);
// Runs a process of this name in the keeper's branch?
bool runs_in_branch_of(pid_t keeper, const std::string& name);

// Processes whose command line has this text in it.
std::set<pid_t> processes_like(const std::string& text);
// Keepers of this store: those of branches, of trees that stand ready, and spares.
std::set<pid_t> keepers_of(const std::string& store);
// Those among them that have no processes yet.
std::set<pid_t> spare_keepers(const std::string& store);

// Looks every millisecond; false when the deadline passed first.
bool becomes_true(const std::function<bool()>& condition, Deadline deadline);

}  // namespace sf::faults
