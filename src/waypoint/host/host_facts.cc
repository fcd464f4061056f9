#include "waypoint/host/host_facts.h"

#include <charconv>

#include "os/file.h"
#include "os/mount.h"

namespace sf::waypoint {
namespace {

template <typename Number>
std::optional<Number> read_number(const std::string& path) {
  auto text = os::read_file(path);
  Number number{};
  if (!text) return std::nullopt;
  if (std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

std::string read_or_empty(const std::string& path) {
  auto text = os::read_file(path);
  return text ? *text : "";
}

// A branch has its own directories in these places.
bool is_replaced(std::string_view below_root) {
  for (std::string_view name : {"/proc", "/sys", "/dev", "/run", "/tmp"}) {
    if (below_root == name || below_root.starts_with(std::string(name) + "/")) return true;
  }
  return false;
}

void read_rights(HostFacts& facts) {
  facts.root = os::is_root();
  facts.host_user_namespace = os::maps_all_users(read_or_empty("/proc/self/uid_map"));
  facts.capabilities = held_capabilities();
}

void try_kernel(HostFacts& facts, Deadline deadline) {
  facts.namespaces = os::probe_namespaces(deadline);
  facts.mount_api = os::probe_mount_api(deadline);
  facts.overlay = os::probe_overlay({{"xino", "on"},
                                     {"redirect_dir", "on"},
                                     {"metacopy", "on"},
                                     {"index", "on"},
                                     {"volatile", ""}},
                                    deadline);
  facts.devpts = os::probe_devpts(deadline);
  facts.last_pid = os::probe_last_pid(deadline);
  facts.cgroups = os::probe_cgroups();
  facts.loop = os::probe_loop_device(deadline);
  facts.btrfs = os::probe_file_system("btrfs", deadline);
  facts.nf_tables = os::probe_nf_tables(deadline);
  facts.ptrace = os::probe_ptrace(deadline);
  facts.yama_scope = read_number<int>("/proc/sys/kernel/yama/ptrace_scope");
  facts.userfaultfd = os::probe_userfaultfd(deadline);
  facts.pagemap_scan = os::probe_pagemap_scan(deadline);
}

void try_criu(HostFacts& facts, const std::string& path, Deadline deadline) {
  facts.criu = find_criu(path);
  if (!facts.criu) return;
  facts.criu_version = criu_version(*facts.criu);
  if (facts.criu_version) facts.criu_check = check_criu(*facts.criu, deadline);
}

}  // namespace

std::vector<std::string> submounts_a_branch_misses(std::string_view mountinfo,
                                                   const std::string& root) {
  std::vector<std::string> missed = os::mount_points_below(mountinfo, root);
  std::erase_if(missed, [&](const std::string& path) {
    return is_replaced(root == "/" ? path : path.substr(root.size()));
  });
  return missed;
}

os::CapabilitySet held_capabilities() {
  return os::parse_effective_capabilities(read_or_empty("/proc/self/status"));
}

HostFacts read_host_facts(const DoctorOptions& options, Deadline deadline) {
  HostFacts facts;
  facts.kernel_release = os::kernel_release();
  read_rights(facts);
  try_kernel(facts, deadline);
  try_criu(facts, options.criu_path, deadline);

  facts.mkfs_btrfs = find_mkfs_btrfs();
  facts.base_root = options.root;
  facts.bash = find_bash(options.root);
  facts.submounts = submounts_a_branch_misses(read_or_empty("/proc/self/mountinfo"), options.root);
  facts.helpers = look_for_helpers(options.helper_dir);

  facts.store_dir = options.store_dir;
  facts.store = os::look_at_directory(options.store_dir);
  facts.open_files = os::hard_open_files_limit();
  facts.pid_max = read_number<std::uint64_t>("/proc/sys/kernel/pid_max").value_or(0);
  return facts;
}

}  // namespace sf::waypoint
