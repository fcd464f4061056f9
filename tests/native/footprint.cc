#include "footprint.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <vector>

#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_program.h"
#include "testing/leak_check.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kKilobyte = 1024;

std::string proc(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::uint64_t resident_memory(pid_t pid) {
  auto status = os::read_file(proc(pid) + "/status");
  std::size_t at = status ? status->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0
                                 : std::strtoull(status->c_str() + at + 6, nullptr, 10) * kKilobyte;
}

std::size_t count_in(const std::string& directory) {
  auto names = os::list_directory(directory);
  return names ? names->size() : 0;
}

std::vector<pid_t> keepers_of(const std::string& store) {
  std::vector<pid_t> found;
  auto names = os::list_directory("/proc");
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    pid_t pid = std::atoi(name.c_str());
    if (os::command_line(pid).find("waypoint-keeper " + store + " ") != std::string::npos)
      found.push_back(pid);
  }
  return found;
}

Result<std::uint64_t> bytes_below(const std::string& directory, const std::string& but) {
  SF_TRY_ASSIGN(os::ProgramOutput used,
                os::run_program({"/usr/bin/du", "-s", "-B1", "--exclude=" + but, directory},
                                Deadline::after(seconds(60))));
  return std::strtoull(used.text.c_str(), nullptr, 10);
}

}  // namespace

Result<Footprint> footprint_of(const std::string& store, const std::set<std::string>& keepers,
                               const std::string& files) {
  Footprint all;
  all.manager_memory = resident_memory(::getpid());
  all.manager_descriptors = count_in("/proc/self/fd");
  SF_TRY_ASSIGN(std::string mounts, os::read_file("/proc/self/mountinfo", 16U << 20U));
  all.mounts = static_cast<std::size_t>(std::ranges::count(mounts, '\n'));
  for (const std::string& group : test::read_host_state().cgroups) {
    std::string name = group.substr(group.rfind('/') + 1);
    if (keepers.contains(name.substr(0, name.rfind("-engine")))) ++all.cgroups;
  }

  std::set<std::string> spaces;
  for (pid_t keeper : keepers_of(store)) {
    ++all.keepers;
    all.keeper_memory += resident_memory(keeper);
    all.keeper_descriptors += count_in(proc(keeper) + "/fd");
    for (pid_t pid : os::process_tree(keeper)) {
      ++all.processes;
      for (const char* kind : {"mnt", "pid", "net", "ipc", "uts", "cgroup"})
        if (auto space = os::read_link(proc(pid) + "/ns/" + kind)) spaces.insert(*space);
    }
  }
  all.namespaces = spaces.size();
  SF_TRY_ASSIGN(all.disk, bytes_below(store, ""));
  SF_TRY_ASSIGN(all.images, bytes_below(store, "units*"));
  struct statvfs space {};
  if (::statvfs(files.c_str(), &space) != 0) return os::last_error("looking at " + files);
  all.files = (space.f_blocks - space.f_bfree) * space.f_frsize;
  return all;
}

std::string to_line(const Footprint& f) {
  std::ostringstream line;
  line << "manager " << f.manager_memory / kKilobyte << " KB, " << f.manager_descriptors << " fds; "
       << f.keepers << " keepers " << f.keeper_memory / kKilobyte << " KB, " << f.keeper_descriptors
       << " fds; " << f.processes << " processes, " << f.namespaces << " namespaces, " << f.mounts
       << " mounts, " << f.cgroups << " cgroups; images " << f.images / kKilobyte << " KB, files "
       << f.files / kKilobyte << " KB, on disk " << f.disk / kKilobyte << " KB";
  return line.str();
}

}  // namespace sf::waypoint
