#include "engine/native/files/lost_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>

#include "engine/native/facts.h"

namespace sf::waypoint::native {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::size_t kMostEntries = 200'000;  // limit of the search

struct Wanted {
  std::string directory;  // that contained its name
  struct stat file {};
  std::vector<LostName*> tellers;
  bool is_found = false;
  bool may_be_indexed = false;
};

class Search {
 public:
  Search(std::string root, const UpperLayer& layer) : root_(std::move(root)), layer_(layer) {}

  void want(const std::string& link, const std::string& path, LostName& lost) {
    struct stat file {};
    struct stat named {};
    if (::stat(path.c_str(), &file) != 0 || file.st_nlink == 0) return;
    if (::lstat((root_ + link).c_str(), &named) == 0 && named.st_ino == file.st_ino &&
        named.st_dev == file.st_dev) {
      lost.left = LostName::Left::kOwn;
      return;
    }
    if (!S_ISREG(file.st_mode)) return;
    auto same = std::ranges::find_if(wanted_, [&](const Wanted& each) {
      return each.file.st_ino == file.st_ino && each.file.st_dev == file.st_dev;
    });
    if (same == wanted_.end())
      same = wanted_.insert(same, Wanted{link.substr(0, link.rfind('/')), file, {}});
    same->tellers.push_back(&lost);
  }

  void run() {
    if (wanted_.empty()) return;
    bool whole = look_through(layer_.files, true) && look_through(layer_.index, false);
    for (Wanted& each : wanted_) {
      if (!each.is_found && each.may_be_indexed) look_beside(each);
      if (each.is_found || (whole && !each.may_be_indexed)) continue;
      for (LostName* lost : each.tellers) lost->left = LostName::Left::kUnknown;
    }
  }

 private:
  // Returns false if the search did not see every file.
  bool look_through(const std::string& layer, bool has_names) {
    if (layer.empty()) return false;
    std::deque<std::string> directories = {""};
    std::size_t seen = 0;
    while (!directories.empty()) {
      std::string directory = std::move(directories.front());
      directories.pop_front();
      std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir((layer + directory).c_str()), ::closedir);
      if (!open) return false;
      while (const dirent* entry = ::readdir(open.get())) {
        std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (++seen > kMostEntries) return false;
        struct stat below {};
        if (entry->d_type == DT_DIR) directories.push_back(directory + "/" + name);
        if (entry->d_type != DT_REG ||
            ::fstatat(::dirfd(open.get()), entry->d_name, &below, AT_SYMLINK_NOFOLLOW) != 0)
          continue;
        for (Wanted& each : wanted_)
          if (may_be_same(each.file, below)) compare(each, directory + "/" + name, has_names);
      }
    }
    return true;
  }

  // The hard links of a file in the base are mostly in one directory.
  void look_beside(Wanted& wanted) {
    std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir((root_ + wanted.directory).c_str()),
                                             ::closedir);
    while (const dirent* entry = open ? ::readdir(open.get()) : nullptr)
      compare(wanted, wanted.directory + "/" + entry->d_name, true);
  }

  void compare(Wanted& wanted, const std::string& path, bool has_names) {
    if (!has_names) wanted.may_be_indexed = true;
    struct stat file {};
    if (!has_names || wanted.is_found || ::lstat((root_ + path).c_str(), &file) != 0) return;
    if (file.st_ino != wanted.file.st_ino || file.st_dev != wanted.file.st_dev) return;
    wanted.is_found = true;
    for (LostName* lost : wanted.tellers) *lost = {LostName::Left::kAnother, path};
  }

  std::string root_;
  UpperLayer layer_;
  std::vector<Wanted> wanted_;
};

bool is_of_a_lost_file(const MappingText& mapping) {
  constexpr std::string_view kMemory[] = {"/memfd:", "/dev/zero", "/SYSV"};
  return mapping.name.starts_with('/') && is_deleted(mapping.name) &&
         std::ranges::none_of(
             kMemory, [&](std::string_view memory) { return mapping.name.starts_with(memory); });
}

}  // namespace

bool may_be_same(const struct stat& seen, const struct stat& below) {
  return seen.st_mode == below.st_mode && seen.st_size == below.st_size &&
         seen.st_uid == below.st_uid && seen.st_mtim.tv_sec == below.st_mtim.tv_sec &&
         seen.st_mtim.tv_nsec == below.st_mtim.tv_nsec;
}

std::string lost_name_trouble(const LostName& lost) {
  if (lost.left != LostName::Left::kUnknown) return {};
  return "its name was removed, and its other names are unknown";
}

bool is_deleted(const std::string& link) { return link.ends_with(kDeleted); }

std::string without_mark(const std::string& link) {
  return is_deleted(link) ? link.substr(0, link.size() - kDeleted.size()) : link;
}

std::string map_file(pid_t pid, const MappingText& mapping) {
  char range[40];
  std::snprintf(range, sizeof range, "%lx-%lx", mapping.start, mapping.end);
  return "/proc/" + std::to_string(pid) + "/map_files/" + range;
}

void find_other_names(std::vector<ProcessFacts>& processes, const UpperLayer& layer) {
  Search search("/proc/" + std::to_string(processes.front().pid) + "/root", layer);
  for (ProcessFacts& process : processes) {
    if (process.ended()) continue;
    std::string proc = "/proc/" + std::to_string(process.pid);
    for (DescriptorFacts& fd : process.descriptors)
      if (fd.file_system == OVERLAYFS_SUPER_MAGIC && is_deleted(fd.link))
        search.want(fd.link, proc + "/fd/" + std::to_string(fd.number), fd.lost);
    for (MappingText& mapping : process.mappings)
      if (is_of_a_lost_file(mapping))
        search.want(mapping.name, map_file(process.pid, mapping), mapping.lost);
    if (is_deleted(process.exe)) search.want(process.exe, proc + "/exe", process.exe_lost);
  }
  search.run();
}

}  // namespace sf::waypoint::native
