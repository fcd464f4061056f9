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
    "checkpoint.begin",           // draft made, nothing asked of the keeper yet
    "checkpoint.before_dump",     // in the keeper: engine ready, tree still running
    "checkpoint.native_stopped",  // native engine: tree stopped and looked at, nothing touched
    "checkpoint.native_visited",  // init was made to tell about itself, its memory is copied
    "checkpoint.after_dump",  // in the keeper: images written, tree stopped, files not yet captured
    "checkpoint.after_files",     // in the keeper: files captured, tree still stopped
    "checkpoint.before_publish",  // all parts there, the draft not yet renamed
    "checkpoint.after_publish",   // renamed; only the answer is missing
    "restore.before_files",       // the new keeper is there, its files are not
    "restore.before_processes",   // files there, processes not
    "restore.native_made",        // native engine: every process is there, none runs on yet
    "restore.native_taken",       // registers set, the terminal taken
    "restore.after_processes",    // new tree runs, the branch still points at the old one
    "restore.before_swap",        // about to publish the new keeper
    "restore.after_swap",         // published; the old tree is not yet ended
    "start.before_files",        "start.before_processes", "start.after_processes",
};

struct FaultPlan {
  std::string fail_at;  // this point returns an error
  std::string die_at;   // at this point the process gets SIGKILL from itself

  // Fails or dies when the plan says so.
  Status at(std::string_view point) const;
};

}  // namespace sf::waypoint
