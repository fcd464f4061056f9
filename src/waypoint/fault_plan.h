// FaultPlan: named points where a test makes a step fail, or the process die. Empty in production.
// A point is passed by name to the keeper too, so that faults inside it can be planned from
// outside.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::waypoint {

// Every point, in the order the steps run. tests/faults walks this list.
inline constexpr std::string_view kFaultPoints[] = {
    "checkpoint.begin",            // draft made, nothing asked of the keeper yet
    "checkpoint.before_dump",      // in the keeper: engine ready, tree still running
    "checkpoint.native_frozen",    // native engine: every thread held, the cgroup perhaps frozen
    "checkpoint.native_stopped",   // tree looked at, nothing touched
    "checkpoint.native_visiting",  // memory of the engine's is in a process
    "checkpoint.native_visited",   // it was made to tell about itself
    "checkpoint.native_copied",    // memory is copied, descriptors are not looked at
    "checkpoint.after_dump",  // in the keeper: images written, tree stopped, files not yet captured
    "checkpoint.after_files",     // in the keeper: files captured, tree still stopped
    "checkpoint.native_resumed",  // native engine: the tree runs on, the image has no tree file yet
    "checkpoint.before_publish",  // all parts there, the draft not yet renamed
    "checkpoint.after_publish",   // renamed; only the answer is missing
    "restore.before_files",       // the new keeper is there, its files are not
    "restore.before_processes",   // files there, processes not
    "restore.native_planned",     // native engine: programs written, nobody runs them yet
    "restore.native_born",        // the new init runs its program: forks, files, memory
    "restore.native_made",        // every process is there, none runs on yet
    "restore.native_taking",      // one process has its registers, the others wait
    "restore.native_taken",       // all have theirs, the terminal is taken
    "restore.native_released",    // the tree runs, nobody traces it any more
    "restore.after_processes",    // new tree runs, the branch still points at the old one
    "restore.before_swap",        // about to publish the new keeper
    "restore.after_swap",         // published; the old tree is not yet ended
    "start.before_files",         "start.before_processes", "start.after_processes",
};

struct FaultPlan {
  std::string fail_at;  // this point returns an error
  std::string die_at;   // at this point the process gets SIGKILL from itself
  // In a keeper: at the points of trees that are made ahead of time, and of no others. By default
  // none is made ahead where faults are planned.
  bool prerestore = false;

  bool empty() const { return fail_at.empty() && die_at.empty(); }
  // Fails or dies when the plan says so.
  Status at(std::string_view point) const;
};

}  // namespace sf::waypoint
