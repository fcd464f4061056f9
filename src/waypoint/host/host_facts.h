// HostFacts: the facts for the doctor, as plain data. Reading them runs probes in forked children
// (os/probe.h); doctor.h judges them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/criu/criu_binary.h"
#include "os/host_info.h"
#include "os/probe.h"
#include "waypoint/host/host_programs.h"

namespace sf::waypoint {

struct DoctorOptions {
  std::string store_dir = "/var/lib/statefork";
  std::string criu_path{};   // empty: find_criu() searches for it
  std::string helper_dir{};  // empty: the directory of this program
  std::string root = "/";    // the base root in which to find bash
};

// The defaults describe a machine on which everything works.
struct HostFacts {
  std::string kernel_release = "6.1.0";
  bool root = true;
  bool host_user_namespace = true;
  os::CapabilitySet capabilities = os::all_capabilities();

  std::map<std::string, Status> namespaces;  // "pid" -> whether it can be created
  Status mount_api = Ok{};
  Status overlay = Ok{};
  Status devpts = Ok{};
  Status last_pid = Ok{};
  os::CgroupFacts cgroups;

  Status loop = Ok{};
  Status btrfs = Ok{};
  Result<std::string> mkfs_btrfs = std::string("/usr/sbin/mkfs.btrfs");

  Result<std::string> criu = std::string("/usr/sbin/criu");
  Result<CriuVersion> criu_version = kOldestCriu;  // valid if `criu` was found
  Status criu_check = Ok{};                        // likewise
  Status nf_tables = Ok{};
  Status ptrace = Ok{};
  std::optional<int> yama_scope;  // nullopt: the kernel has no yama
  Status userfaultfd = Ok{};
  Status pagemap_scan = Ok{};

  std::string base_root = "/";
  std::optional<std::string> bash = "/bin/bash";  // in the base root
  std::vector<std::string> submounts;  // mounts below the base root that are missing in a branch
  Helpers helpers{
      "/usr/lib/statefork",
      {"waypoint-keeper", "/usr/lib/statefork/waypoint-keeper", true},
      {"waypoint-init", "/usr/lib/statefork/waypoint-init", true},
      {"libwaypoint-criu-shim.so", "/usr/lib/statefork/libwaypoint-criu-shim.so", true}};

  std::string store_dir = "/var/lib/statefork";
  Result<os::DirectoryFacts> store =
      os::DirectoryFacts{"/var/lib/statefork", "ext4", 1ULL << 40U, false, true};

  std::uint64_t open_files = 1048576;
  std::uint64_t pid_max = 4194304;
};

// The mounts below `root` that a branch does not replace with its own. Pure.
std::vector<std::string> submounts_a_branch_misses(std::string_view mountinfo,
                                                   const std::string& root);

// Kills probes that have not ended at the deadline.
os::CapabilitySet held_capabilities();
HostFacts read_host_facts(const DoctorOptions& options, Deadline deadline);

}  // namespace sf::waypoint
