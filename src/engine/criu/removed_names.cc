#include "engine/criu/removed_names.h"

#include <sys/stat.h>

#include <cerrno>
#include <set>
#include <string_view>

#include "base/split.h"
#include "os/file.h"
#include "os/in_root.h"
#include "os/process.h"

namespace sf::waypoint::criu {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::size_t kMaxMaps = 64U << 20U;

class Reader {
 public:
  Reader(const os::InRoot& root, pid_t pid) : root_(root), proc_("/proc/" + std::to_string(pid)) {
    facts_.pid = os::namespace_pid(pid).value_or(0);
    facts_.process = os::process_name(pid);
  }

  std::vector<RemovedName> read() {
    look("working directory", proc_ + "/cwd");
    look("program", proc_ + "/exe");
    if (auto numbers = os::list_directory(proc_ + "/fd")) {
      for (const std::string& number : *numbers)
        look("descriptor " + number, proc_ + "/fd/" + number);
    }
    if (auto maps = os::read_file(proc_ + "/maps", kMaxMaps)) look_at_maps(*maps);
    return std::move(names_);
  }

 private:
  void look(const std::string& holder, const std::string& link) {
    auto name = os::read_link(link);
    struct stat held {};
    if (!name || !name->starts_with('/') || !name->ends_with(kDeleted) ||
        ::stat(link.c_str(), &held) != 0)
      return;
    auto named = root_.look(*name);  // the file's real name may end in " (deleted)"
    if (named && named->st_ino == held.st_ino && named->st_dev == held.st_dev) return;
    add(holder, *name, S_ISDIR(held.st_mode));
  }

  void look_at_maps(const std::string& maps) {
    std::set<std::string> seen;
    for (const std::string& line : split(maps, '\n')) {
      const std::size_t path = line.find('/');  // the columns before it contain none
      if (!line.ends_with(kDeleted) || path == std::string::npos) continue;
      std::string name = line.substr(path);
      if (seen.insert(name).second && !root_.look(name)) add("mapped file", name, false);
    }
  }

  void add(const std::string& holder, const std::string& name, bool is_directory) {
    RemovedName removed = facts_;
    removed.holder = holder;
    removed.path = name.substr(0, name.size() - kDeleted.size());
    removed.is_directory = is_directory;
    auto now = root_.look(removed.path);
    if (now) removed.location = RemovedName::Location::kTaken;
    if (!now && now.error().os_errno == ENOTDIR) removed.location = RemovedName::Location::kBlocked;
    names_.push_back(std::move(removed));
  }

  const os::InRoot& root_;
  std::string proc_;
  RemovedName facts_;
  std::vector<RemovedName> names_;
};

}  // namespace

std::vector<Blocker> find_replaced(const std::vector<RemovedName>& names) {
  std::vector<Blocker> blockers;
  for (const RemovedName& name : names) {
    auto add = [&](const char* why) {
      blockers.push_back({.pid = name.pid,
                          .process = name.process,
                          .what = name.holder + " (" + name.path + ", removed)",
                          .why = why,
                          .advice = "end that process, have it close the removed path, or use "
                                    "the native engine"});
    };
    if (name.location == RemovedName::Location::kBlocked)
      add("CRIU cannot restore it: a directory above it was replaced by a file");
    else if (name.location == RemovedName::Location::kTaken && name.is_directory)
      add("CRIU cannot restore a removed directory if its name is in use again");
  }
  return blockers;
}

std::vector<RemovedName> read_removed_names(pid_t root) {
  std::vector<RemovedName> all;
  auto files = os::InRoot::open("/proc/" + std::to_string(root) + "/root");
  if (!files) return all;
  for (pid_t pid : os::process_tree(root)) {
    for (RemovedName& name : Reader(*files, pid).read()) all.push_back(std::move(name));
  }
  return all;
}

}  // namespace sf::waypoint::criu
