#include "waypoint/host/doctor.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

namespace sf::waypoint {
namespace {

constexpr std::pair<const char*, const char*> kNamespaces[] = {
    {"pid", "restored processes cannot have their old pids"},
    {"mnt", "a session cannot have its own root"},
    {"net", "sessions cannot have their own ports"},
    {"ipc", "System V shared memory of sessions is not isolated"},
    {"uts", "a session cannot have its own host name"},
    {"cgroup", "a session sees the host's control groups"},
};
constexpr std::size_t kNamedMounts = 4;

constexpr os::KernelVersion kOldestKernel{5, 10};
constexpr os::KernelVersion kTestedKernel{6, 0};
constexpr std::uint64_t kMiB = 1ULL << 20U;
constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr std::uint64_t kLeastSpace = 64 * kMiB;  // a branch cannot start with less
constexpr std::uint64_t kGoodSpace = kGiB;
constexpr std::uint64_t kGoodOpenFiles = 4096;
constexpr std::uint64_t kGoodPidMax = 32768;

// A requirement without its verdict.
struct Need {
  std::string id;
  std::string need;
  HostPart part;
  std::string cost;
};

class Judgement {
 public:
  explicit Judgement(const HostFacts& facts) : facts_(facts) {}

  void ok(Need need, std::string detail) {
    add(std::move(need), FindingState::kOk, std::move(detail), {});
  }
  // Reports an unmet need: kMissing if sessions or checkpoints depend on it, else a warning.
  void lacking(Need need, std::string detail, std::string fix) {
    bool vital = need.part == HostPart::kSessions || need.part == HostPart::kCheckpoints;
    add(std::move(need), vital ? FindingState::kMissing : FindingState::kWarning, std::move(detail),
        std::move(fix));
  }
  void warn(Need need, std::string detail, std::string fix) {
    add(std::move(need), FindingState::kWarning, std::move(detail), std::move(fix));
  }
  // Reports the verdict of a probe. If the probe failed for lack of privileges, the remedy is more
  // privileges, not `fix`.
  void probed(Need need, const Status& probe, std::string detail, std::string fix) {
    if (probe) return ok(std::move(need), std::move(detail));
    lacking(std::move(need), probe.error().message,
            os::is_refusal(probe.error()) ? more_rights() : std::move(fix));
  }
  std::string more_rights() const {
    return facts_.root ? "docker run --privileged ... (or similar: this root lacks privileges)"
                       : "sudo statefork doctor";
  }
  const HostFacts& facts() const { return facts_; }
  std::vector<Finding> findings() && { return std::move(findings_); }

 private:
  void add(Need need, FindingState state, std::string detail, std::string fix) {
    findings_.push_back({std::move(need.id), std::move(need.need), need.part, state,
                         std::move(detail), std::move(need.cost), std::move(fix)});
  }

  const HostFacts& facts_;
  std::vector<Finding> findings_;
};

void judge_kernel(Judgement& out) {
  Need need{"kernel", "Linux 5.10 or later", HostPart::kSessions,
            "sessions cannot run: they use overlay, loop and process calls of 5.10"};
  auto version = os::parse_kernel_version(out.facts().kernel_release);
  const std::string& seen = out.facts().kernel_release;
  if (!version || *version < kOldestKernel)
    return out.lacking(need, seen, "apt-get install linux-image-amd64, then reboot");
  if (*version < kTestedKernel) {
    need.cost = "none known, but StateFork is tested on 6.x only";
    return out.warn(need, seen + ", older than the tested versions (6.x)", "");
  }
  out.ok(need, seen);
}

struct CapabilityNeed {
  const char* name;
  HostPart part;
  const char* cost;
};
constexpr CapabilityNeed kCapabilities[] = {
    {"sys_admin", HostPart::kSessions, "no mounts and no namespaces, so no sessions"},
    {"sys_chroot", HostPart::kSessions, "a session cannot enter its root"},
    {"setuid", HostPart::kSessions, "a session cannot switch to its user"},
    {"setgid", HostPart::kSessions, "a session cannot set its groups"},
    {"setpcap", HostPart::kSessions, "a session cannot drop its capabilities"},
    {"chown", HostPart::kSessions, "files of a session cannot get their owners"},
    {"dac_override", HostPart::kSessions, "files of other users cannot be kept"},
    {"fowner", HostPart::kSessions, "modes and times of other users' files cannot be kept"},
    {"mknod", HostPart::kSessions, "a session cannot have /dev/null or delete files (whiteouts)"},
    {"kill", HostPart::kSessions, "processes of other users in a session cannot be ended"},
    {"net_admin", HostPart::kSessions, "a session's loopback stays down"},
    {"sys_ptrace", HostPart::kCheckpoints, "processes cannot be captured"},
    {"sys_resource", HostPart::kComfort,
     "no visible effect: CRIU reads limits of non-root processes through a prlimit shim instead"},
};

std::string capability_name(const std::string& capability) {
  std::string name = "CAP_";
  for (char c : capability)
    name.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return name;
}

std::string grant(const std::string& capability) {
  std::string name = capability_name(capability);
  return "grant " + name + ", such as docker run --cap-add " + name.substr(4) + " ...";
}

void judge_rights(Judgement& out) {
  const HostFacts& facts = out.facts();
  Need root{"root", "root, in the host's user namespace", HostPart::kSessions,
            "sessions cannot run: mounts, devices and CRIU need the host's root"};
  if (!facts.root) {
    out.lacking(root, "an ordinary user", "sudo statefork doctor");
  } else if (!facts.host_user_namespace) {
    out.lacking(root, "root of a nested user namespace",
                "docker run --privileged --userns=host ...");
  } else {
    out.ok(root, "root");
  }
  for (const CapabilityNeed& need : kCapabilities) {
    std::string name = need.name;
    Need wanted{"capability_" + name, "capability " + name, need.part, need.cost};
    if (facts.capabilities.contains(name)) {
      out.ok(wanted, "held");
    } else {
      out.lacking(wanted, "not held", facts.root ? grant(name) : out.more_rights());
    }
  }
}

void judge_namespaces(Judgement& out) {
  for (const auto& [name, cost] : kNamespaces) {
    auto probe = out.facts().namespaces.find(name);
    Status verdict = probe == out.facts().namespaces.end() ? Status(Ok{}) : probe->second;
    out.probed({std::string("namespace_") + name, std::string(name) + " namespaces",
                HostPart::kSessions, cost},
               verdict, "can be made", "");
  }
}

void judge_mounts(Judgement& out) {
  const HostFacts& facts = out.facts();
  out.probed({"mount_api", "mount API (fsopen, move_mount)", HostPart::kSessions,
              "sessions cannot run: they need it for their mounts"},
             facts.mount_api, "works", "");
  out.probed({"overlay", "OverlayFS with xino, redirect_dir, metacopy, index", HostPart::kSessions,
              "sessions cannot run: a session's files are an overlay over the base root"},
             facts.overlay, "mounting, renaming and deleting work", "modprobe overlay");
  out.probed({"devpts", "devpts instances", HostPart::kSessions,
              "sessions cannot run: each needs its own terminals"},
             facts.devpts, "a terminal was opened", "");
  out.probed({"last_pid", "writable ns_last_pid", HostPart::kComfort,
              "after a restore, new processes get other pids than without the restore"},
             facts.last_pid, "works in a new pid namespace", "");
}

std::string layout_text(const os::CgroupLayout& layout) {
  if (layout.unified.empty() && layout.v1.empty()) return "not mounted";
  if (layout.unified.empty()) return "v1 only";
  if (layout.v1.empty()) return "v2 at " + layout.unified;
  return "hybrid: limits in v1, v2 at " + layout.unified;
}

// A command that remounts every hierarchy in use.
std::string remount_all(const os::CgroupLayout& layout) {
  std::set<std::string> mounts;
  if (!layout.unified.empty()) mounts.insert(layout.unified);
  for (const auto& [controller, mount] : layout.v1) mounts.insert(mount);
  std::string commands;
  for (const std::string& mount : mounts)
    commands += (commands.empty() ? "" : " && ") + ("mount -o remount,rw " + mount);
  return commands;
}

// Processes in the top group, as in a container, keep the kernel from enabling its controllers for
// child groups.
std::string empty_top_group(const os::CgroupLayout& layout) {
  const std::string& top = layout.unified;
  return "mkdir -p " + top + "/init && xargs -rn1 < " + top + "/cgroup.procs > " + top +
         "/init/cgroup.procs";
}

void judge_limits(Judgement& out) {
  const os::CgroupLayout& layout = out.facts().cgroups.layout;
  for (const auto& [controller, probe] : out.facts().cgroups.limits) {
    auto v1 = layout.v1.find(controller);
    std::string fix;
    if (v1 != layout.v1.end()) {
      fix = "mount -o remount,rw " + v1->second;
    } else if (layout.can_limit(controller)) {
      fix = "echo +" + controller + " > " + layout.unified + "/cgroup.subtree_control";
      if (!probe && probe.error().os_errno == EBUSY) fix = empty_top_group(layout) + " && " + fix;
    }
    out.probed({"limit_" + controller, "limits on " + controller, HostPart::kComfort,
                "a session asked to limit " + controller +
                    " does not start; without a limit it can starve the host"},
               probe, v1 != layout.v1.end() ? "limited by cgroup v1" : "limited by cgroup v2", fix);
  }
}

void judge_cgroups(Judgement& out) {
  const os::CgroupFacts& groups = out.facts().cgroups;
  Need layout{"cgroup_layout", "control groups, v2 or hybrid", HostPart::kComfort,
              "limits have no effect, and leftover processes are found by their pids only"};
  if (groups.layout.unified.empty()) {
    if (!groups.layout.v1.empty())
      layout.cost = "a session's processes cannot be frozen or killed as a group";
    out.warn(layout, layout_text(groups.layout),
             groups.layout.v1.empty() ? "mount -t cgroup2 cgroup2 /sys/fs/cgroup" : "");
  } else {
    out.ok(layout, layout_text(groups.layout));
  }
  Need create{"cgroup_create", "control groups can be created", HostPart::kSessions,
              "sessions cannot run: each needs its own group"};
  if (remount_all(groups.layout).empty()) {
    create.cost = "sessions run without their own groups";
    out.warn(create, "not mounted", "");
  } else {
    out.probed(create, groups.groups, "created and removed", remount_all(groups.layout));
  }
  Need freeze{"cgroup_freeze_kill", "cgroup v2 freeze and kill", HostPart::kComfort,
              "processes are stopped and killed one by one; a fork bomb may be faster"};
  if (groups.freezes && groups.kills) {
    out.ok(freeze, "both supported");
  } else {
    out.warn(freeze, groups.freezes ? "freeze without kill (from Linux 5.14 on)" : "not seen", "");
  }
  judge_limits(out);
}

void judge_files(Judgement& out) {
  const HostFacts& facts = out.facts();
  const std::string cost =
      "files are copied at each checkpoint, and inode numbers of files made in a session change on "
      "restore";
  out.probed({"loop_device", "loop devices", HostPart::kComfort, cost}, facts.loop,
             "a device was attached", "modprobe loop");
  out.probed({"btrfs", "btrfs in the kernel", HostPart::kComfort, cost}, facts.btrfs, "supported",
             "modprobe btrfs");
  Need mkfs{"mkfs_btrfs", "mkfs.btrfs", HostPart::kComfort, cost};
  if (facts.mkfs_btrfs) {
    out.ok(mkfs, *facts.mkfs_btrfs);
  } else {
    out.lacking(mkfs, facts.mkfs_btrfs.error().message, facts.mkfs_btrfs.error().hint);
  }
}

std::string size_text(std::uint64_t bytes) {
  return bytes >= kGiB ? std::to_string(bytes / kGiB) + " GiB"
                       : std::to_string(bytes / kMiB) + " MiB";
}

void judge_store(Judgement& out) {
  const HostFacts& facts = out.facts();
  Need location{"store", "store " + facts.store_dir, HostPart::kSessions,
                "sessions cannot run: their files and checkpoints are stored there"};
  const std::string elsewhere = "statefork doctor --store DIR";
  if (!facts.store) return out.lacking(location, facts.store.error().message, elsewhere);
  const os::DirectoryFacts& store = *facts.store;
  std::string seen =
      (store.existing == facts.store_dir ? "exists" : "will be created in " + store.existing) +
      std::string(", ") + store.file_system;
  bool own_file_system = facts.loop && facts.btrfs && facts.mkfs_btrfs;
  if (store.read_only) {
    out.lacking(location, seen + ", mounted read-only", elsewhere);
  } else if (!store.writable) {
    out.lacking(location, seen + ", not writable by this user",
                facts.root ? elsewhere : "sudo statefork doctor");
  } else if (store.file_system == "overlay" && !own_file_system) {
    location.cost =
        "sessions cannot run: an overlay cannot have its upper layer on another overlay";
    out.lacking(location, seen, elsewhere + " on another file system, such as a volume");
  } else if (store.file_system == "tmpfs") {
    location.cost = "checkpoints use memory and are lost at a reboot";
    out.warn(location, seen, elsewhere);
  } else {
    out.ok(location, seen);
  }

  Need space{"store_space", "at least 1 GiB free in the store", HostPart::kSessions,
             "checkpoints will soon fail for lack of space"};
  std::string free = size_text(store.free_bytes) + " free";
  if (store.free_bytes < kLeastSpace) {
    space.cost = "sessions cannot run: there is no room for their files";
    out.lacking(space, free, elsewhere);
  } else if (store.free_bytes < kGoodSpace) {
    out.warn(space, free, elsewhere);
  } else {
    out.ok(space, free);
  }
}

void judge_criu(Judgement& out) {
  const HostFacts& facts = out.facts();
  Need need{"criu", "CRIU " + to_string(kOldestCriu) + " or later", HostPart::kCheckpoints,
            "sessions cannot be checkpointed, restored or forked"};
  const std::string install = "tools/dev setup";
  if (!facts.criu) return out.lacking(need, facts.criu.error().message, facts.criu.error().hint);
  if (!facts.criu_version) return out.lacking(need, facts.criu_version.error().message, install);
  std::string seen = to_string(*facts.criu_version) + " at " + *facts.criu;
  if (*facts.criu_version < kOldestCriu) return out.lacking(need, seen, install);
  out.ok(need, seen);
  out.probed({"criu_check", "criu check passes", HostPart::kCheckpoints, need.cost},
             facts.criu_check, "looks good", "");
}

void judge_network_lock(Judgement& out) {
  out.probed({"nf_tables", "nf_tables in the kernel", HostPart::kComfort,
              "a checkpoint fails while a session's TCP connection has data in flight"},
             out.facts().nf_tables, "works in a new network namespace", "modprobe nf_tables");
}

void judge_ptrace(Judgement& out) {
  const HostFacts& facts = out.facts();
  std::string yama =
      facts.yama_scope ? "yama scope " + std::to_string(*facts.yama_scope) : "no yama";
  Need need{"ptrace", "ptrace of any process", HostPart::kCheckpoints,
            "sessions cannot be checkpointed, restored or forked"};
  if (facts.ptrace) return out.ok(need, "works, " + yama);
  std::string seen = facts.ptrace.error().message + ", " + yama;
  if (facts.yama_scope == 3)
    return out.lacking(need, seen, "reboot with kernel.yama.ptrace_scope=1");
  if (facts.yama_scope.value_or(0) > 0)
    return out.lacking(need, seen, "sysctl kernel.yama.ptrace_scope=0");
  out.lacking(need, seen, out.more_rights());
}

void judge_native_engine(Judgement& out) {
  const std::string cost =
      "the native engine cannot save memory incrementally; CRIU is used instead and is slower";
  out.probed({"userfaultfd", "userfaultfd, asynchronous", HostPart::kNativeEngine, cost},
             out.facts().userfaultfd, "works", "");
  out.probed({"pagemap_scan", "PAGEMAP_SCAN", HostPart::kNativeEngine, cost},
             out.facts().pagemap_scan, "works", "");
}

void judge_base_root(Judgement& out) {
  const HostFacts& facts = out.facts();
  Need bash{"bash", "bash in the base root", HostPart::kSessions,
            "sessions cannot run: bash is their shell"};
  if (facts.bash) {
    out.ok(bash, *facts.bash);
  } else {
    std::string enter = facts.base_root == "/" ? "" : "chroot " + facts.base_root + " ";
    out.lacking(bash, "none in " + facts.base_root, enter + "apt-get install bash");
  }
  Need whole{"submounts", "all of the base root in one mount", HostPart::kComfort,
             "a session sees the directories below these mounts, which are usually empty"};
  if (facts.submounts.empty()) return out.ok(whole, "no other mounts below " + facts.base_root);
  std::string seen;
  for (std::size_t i = 0; i < facts.submounts.size() && i < kNamedMounts; ++i)
    seen += (i == 0 ? "" : ", ") + facts.submounts[i];
  if (facts.submounts.size() > kNamedMounts)
    seen += " and " + std::to_string(facts.submounts.size() - kNamedMounts) + " more";
  out.warn(whole, seen, "");
}

void judge_helpers(Judgement& out) {
  for (const Helper& helper : out.facts().helpers.all()) {
    std::string id = helper.name.substr(0, helper.name.find('.'));
    std::ranges::replace(id, '-', '_');
    Need need{id, helper.name, HostPart::kSessions, "sessions cannot run without it"};
    if (helper.usable) {
      out.ok(need, "in " + out.facts().helpers.dir);
    } else {
      out.lacking(need, "not in " + out.facts().helpers.dir, "tools/dev build");
    }
  }
}

void judge_amounts(Judgement& out) {
  const HostFacts& facts = out.facts();
  Need files{"open_files", "4096 open files", HostPart::kComfort,
             "a manager runs out of descriptors at a few hundred live branches"};
  std::string seen = "hard limit " + std::to_string(facts.open_files);
  if (facts.open_files < kGoodOpenFiles) {
    out.warn(files, seen, "ulimit -Hn 65536");
  } else {
    out.ok(files, seen);
  }
  Need pids{"pid_max", "32768 process ids", HostPart::kComfort,
            "many branches together run out of process ids"};
  seen = "pid_max " + std::to_string(facts.pid_max);
  if (facts.pid_max < kGoodPidMax) {
    out.warn(pids, seen, "sysctl kernel.pid_max=4194304");
  } else {
    out.ok(pids, seen);
  }
}

}  // namespace

Status check_session_capabilities(const os::CapabilitySet& held) {
  for (const CapabilityNeed& need : kCapabilities) {
    if (need.part != HostPart::kSessions || held.contains(need.name)) continue;
    return fail(ErrorCode::kUnsupported,
                "sessions need " + capability_name(need.name) + ": without it " + need.cost,
                grant(need.name) + "; `statefork doctor` lists everything that is missing");
  }
  return Ok{};
}

std::vector<Finding> judge(const HostFacts& facts) {
  Judgement out(facts);
  judge_kernel(out);
  judge_rights(out);
  judge_namespaces(out);
  judge_mounts(out);
  judge_cgroups(out);
  judge_files(out);
  judge_store(out);
  judge_criu(out);
  judge_network_lock(out);
  judge_ptrace(out);
  judge_native_engine(out);
  judge_base_root(out);
  judge_helpers(out);
  judge_amounts(out);
  return std::move(out).findings();
}

std::vector<Finding> examine_host(const DoctorOptions& options) {
  return judge(read_host_facts(options, Deadline::after(seconds(10))));
}

}  // namespace sf::waypoint
