// Probes: detect what this kernel permits, and if not, why. Each probe tries the real operation in
// a forked child with its own namespaces, so that nothing is left behind: mounts end with the
// child's namespace, devices and files with its descriptors. A probe that hangs is killed at the
// deadline. (host_info.h has the facts that can be read without trying.)
//
// The children allocate memory: glibc's fork keeps malloc usable in the child even if the caller
// has threads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/cgroup.h"
#include "os/mount.h"
#include "os/process.h"

namespace sf::os {

// Runs `attempt` in a child and returns its result, errno included.
Status probe_in_child(const std::function<Status()>& attempt, Deadline deadline);
// The same in a private mount namespace.
Status probe_with_private_mounts(const std::function<Status()>& attempt, Deadline deadline);

// True if the probe failed for lack of privileges.
bool is_refusal(const Error& error);

// Whether a namespace of each kind (pid, mnt, net, ipc, uts, cgroup) can be created. For the pid
// namespace, a process must also start in it.
std::map<std::string, Status> probe_namespaces(Deadline deadline);
// fsopen, fsmount and move_mount.
Status probe_mount_api(Deadline deadline);
// Mounts an overlay with these options on tmpfs, then reads a file, renames a lower directory and
// deletes a file in it.
Status probe_overlay(const std::vector<MountOption>& options, Deadline deadline);
// Mounts a private devpts and opens a terminal in it.
Status probe_devpts(Deadline deadline);
Status probe_loop_device(Deadline deadline);
// Whether the kernel has the file system, or loads its module on demand as for a mount.
Status probe_file_system(const std::string& name, Deadline deadline);
// Holds back the packets of a new network namespace with nf_tables, as CRIU does.
Status probe_nf_tables(Deadline deadline);
// Seizes a process that is not a descendant, as a checkpoint engine does.
Status probe_ptrace(Deadline deadline);
// Whether userfaultfd can track writes without stopping the writer.
Status probe_userfaultfd(Deadline deadline);
Status probe_pagemap_scan(Deadline deadline);
// Sets the pid counter inside a new pid namespace.
Status probe_last_pid(Deadline deadline);

// Creates and removes groups in the host's own hierarchies. If the probe enables a controller, it
// disables it again.
struct CgroupFacts {
  CgroupLayout layout;
  Status groups = Ok{};                  // a group can be created in each hierarchy we use
  std::map<std::string, Status> limits;  // whether a new group can limit memory, pids, cpu
  bool freezes = false;                  // v2 only
  bool kills = false;                    // v2 only
};
CgroupFacts probe_cgroups();

}  // namespace sf::os
