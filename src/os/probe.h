// Probes: what this kernel permits, and why not. Each tries the real thing in a forked child with
// namespaces of its own, so nothing stays behind: mounts go with the child's namespace, devices and
// files with its descriptors. A probe that hangs is killed at the deadline. (What can be read
// without a try stands in host_info.h.)
//
// The children allocate: glibc's fork keeps malloc usable in the child even when the caller has
// threads.
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

// Runs `attempt` in a child and brings its verdict back, errno included.
Status probe_in_child(const std::function<Status()>& attempt, Deadline deadline);
// The same, in a mount namespace that shares nothing with the caller's.
Status probe_with_private_mounts(const std::function<Status()>& attempt, Deadline deadline);

// Was it for want of rights that a probe failed?
bool is_refusal(const Error& error);

// pid, mnt, net, ipc, uts, cgroup: can one be made? For a pid namespace, a process must be born in
// it.
std::map<std::string, Status> probe_namespaces(Deadline deadline);
// fsopen, fsmount and move_mount.
Status probe_mount_api(Deadline deadline);
// Mounts an overlay with these options on tmpfs; then reads, renames a lower directory and deletes
// through it.
Status probe_overlay(const std::vector<MountOption>& options, Deadline deadline);
// A devpts instance of its own, with a terminal opened in it.
Status probe_devpts(Deadline deadline);
Status probe_loop_device(Deadline deadline);
// Is the file system there, or does the kernel load it when asked, as it would for a mount?
Status probe_file_system(const std::string& name, Deadline deadline);
// Holds the packets of a new network namespace, as CRIU does over nf_tables.
Status probe_nf_tables(Deadline deadline);
// Seizes a process that is no descendant, as a checkpoint engine does.
Status probe_ptrace(Deadline deadline);
// userfaultfd that tracks writes without stopping the writer.
Status probe_userfaultfd(Deadline deadline);
Status probe_pagemap_scan(Deadline deadline);
// Sets the pid counter inside a new pid namespace.
Status probe_last_pid(Deadline deadline);

// Groups are made and removed in the host's own hierarchies; a controller handed down for the try
// is taken back.
struct CgroupFacts {
  CgroupLayout layout;
  Status groups = Ok{};                  // a group can be made in each hierarchy that is used
  std::map<std::string, Status> limits;  // memory, pids, cpu: can a new group be limited?
  bool freezes = false;                  // v2 only
  bool kills = false;                    // v2 only
};
CgroupFacts probe_cgroups();

}  // namespace sf::os
