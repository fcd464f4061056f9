// Why a tree could not be captured: which process, which descriptor, why, and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/blocker.h"

namespace sf::waypoint {

// What is looked at of one process. Plain data, read from /proc.
struct ProcessFacts {
  pid_t pid = 0;  // in the branch
  std::string name;
  std::string tracer;  // "process 45 (strace)", or where else it is; empty when there is none
  bool own_user_namespace = false;
  bool own_pid_namespace = false;
  struct Descriptor {
    int number = 0;
    std::string target;  // what the /proc link says
  };
  std::vector<Descriptor> descriptors;
};

// Pure: the known reasons among the facts.
std::vector<Blocker> find_blockers(const std::vector<ProcessFacts>& processes);
// Pure: the processes that have their controlling terminal open by the name /dev/tty. CRIU captures
// this only in a shell that is in the foreground itself.
std::vector<Blocker> find_controlling_terminals(const std::vector<ProcessFacts>& processes);
// Pure: a process has one pid in each PID namespace it is in. `status` is its /proc status,
// `levels` how many the branch's processes have; nothing when it is not in the branch.
std::optional<pid_t> pid_in_branch(const std::string& status, std::size_t levels);
// Pure: the first lines of a CRIU log that say what went wrong.
std::string first_errors(const std::string& log, std::size_t max_lines);

// Reads the facts of the tree below `root`.
std::vector<ProcessFacts> read_process_facts(pid_t root);

Error explain_capture_failure(pid_t root, const std::string& log_path);
Error explain_restore_failure(const std::string& log_path);

}  // namespace sf::waypoint
