// Explains why CRIU could not capture a tree: which process and descriptor, why, and what to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/blocker.h"

namespace sf::waypoint {

// Facts about one process, read from /proc. Plain data.
struct ProcessFacts {
  pid_t pid = 0;  // in the branch's PID namespace
  std::string name;
  std::string tracer;  // "process 45 (strace)" or "a process outside the branch"; empty: none
  bool own_user_namespace = false;
  bool own_pid_namespace = false;
  struct Descriptor {
    int number = 0;
    std::string target;  // target of the /proc link
  };
  std::vector<Descriptor> descriptors;
};

// Pure. The known blockers among the facts.
std::vector<Blocker> find_blockers(const std::vector<ProcessFacts>& processes);
// Pure. The processes that have their controlling terminal open by the name /dev/tty. CRIU captures
// this only in a shell that is in the foreground itself.
std::vector<Blocker> find_controlling_terminals(const std::vector<ProcessFacts>& processes);
// Pure. The process's pid in the branch's PID namespace. `status`: its /proc status, with one pid
// per nested namespace. `levels`: how many pids the branch's processes have. Nothing: it is not in
// the branch.
std::optional<pid_t> pid_in_branch(const std::string& status, std::size_t levels);
// Pure. The first error messages of a CRIU log.
std::string first_errors(const std::string& log, std::size_t max_lines);

// Reads the facts of the tree below `root`.
std::vector<ProcessFacts> read_process_facts(pid_t root);

Error explain_capture_failure(pid_t root, const std::string& log_path);
Error explain_restore_failure(const std::string& log_path);

}  // namespace sf::waypoint
