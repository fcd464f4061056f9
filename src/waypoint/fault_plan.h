// FaultPlan: named points where a test makes a step fail or kills the process. Empty in production.
// The manager also sends the names to the keeper, so that tests can plan faults inside it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::waypoint {

// Every point, in the order the steps run. tests/faults walks this list.
inline constexpr std::string_view kFaultPoints[] = {
    "checkpoint.begin",            // draft made, no request sent to the keeper
    "checkpoint.before_dump",      // in the keeper: engine ready, tree still running
    "checkpoint.native_frozen",    // native engine: every thread stopped, the cgroup perhaps frozen
    "checkpoint.native_stopped",   // facts read, nothing changed in the tree
    "checkpoint.native_visiting",  // memory of the engine is mapped into a process
    "checkpoint.native_visited",   // the process has run the engine's code
    "checkpoint.native_copied",    // memory copied, descriptors not yet read
    "checkpoint.after_dump",  // in the keeper: images written, tree stopped, files not yet captured
    "checkpoint.after_files",     // in the keeper: files captured, tree still stopped
    "checkpoint.native_resumed",  // native engine: tree resumed, the image has no tree file yet
    "checkpoint.before_publish",  // all parts exist, the draft not yet renamed
    "checkpoint.after_publish",   // renamed; only the answer is missing
    "restore.before_files",       // the new keeper runs, without files
    "restore.before_processes",   // files exist, processes do not
    "restore.native_planned",     // native engine: programs written, but not run
    "restore.native_born",        // the new init runs its program: forks, files, memory
    "restore.native_made",        // every process exists, none resumed
    "restore.native_taking",      // one process has its registers, the others do not
    "restore.native_taken",       // all have their registers and the terminal
    "restore.native_released",    // the tree runs untraced
    "restore.after_processes",    // new tree runs, the branch still refers to the old one
    "restore.before_swap",        // about to publish the new keeper
    "restore.after_swap",         // published; the old tree is not yet ended
    "start.before_files",         "start.before_processes", "start.after_processes",
};

struct FaultPlan {
  std::string fail_at;  // this point returns an error
  std::string die_at;   // at this point the process kills itself
  // Fail at the points of prerestored trees only. By default, a store with planned faults makes no
  // prerestores.
  bool prerestore = false;

  bool empty() const { return fail_at.empty() && die_at.empty(); }
  // Fails, or kills the process, if the plan names this point.
  Status at(std::string_view point) const;
};

}  // namespace sf::waypoint
