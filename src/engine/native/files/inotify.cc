#include "engine/native/files/inotify.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <set>

#include "engine/native/facts.h"
#include "engine/native/files/directory_of.h"
#include "engine/native/ptrace/remote_fd.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMostEntries = 200'000;                   // limit of the search
constexpr unsigned long kSetNext = _IOW('I', 0, std::int32_t);  // INOTIFY_IOC_SETNEXTWD

int unread(int fd) {
  int size = 0;
  return ::ioctl(fd, FIONREAD, &size) == 0 ? size : 0;
}

void read_away(int fd) {
  while (int size = unread(fd)) {
    std::string events(static_cast<std::size_t>(size), '\0');
    if (::read(fd, events.data(), events.size()) <= 0) return;
  }
}

class Finder {
 public:
  explicit Finder(std::vector<ProcessFacts>& processes) : processes_(processes) {
    for (ProcessFacts& process : processes)
      for (DescriptorFacts& fd : process.descriptors)
        for (WatchFacts& watch : fd.inotify.watches) wanted_[watch.inode].push_back(&watch);
    if (!wanted_.empty()) root_ = "/proc/" + std::to_string(processes[0].pid) + "/root";
    struct stat info {};
    if (!root_.empty() && ::stat((root_ + "/").c_str(), &info) == 0) device_ = info.st_dev;
  }

  bool wants() const { return !wanted_.empty(); }

  void try_open_paths() {
    for (const ProcessFacts& process : processes_) {
      check(process.cwd);
      for (const DescriptorFacts& fd : process.descriptors) {
        if (fd.link.empty() || fd.link[0] != '/') continue;
        check(fd.link);
        check(directory_of(fd.link));
      }
    }
  }

  void search() {
    std::deque<std::string> directories = {"/"};
    for (std::size_t seen = 0; wants() && !directories.empty() && seen < kMostEntries;) {
      std::string directory = std::move(directories.front());
      directories.pop_front();
      std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir((root_ + directory).c_str()), ::closedir);
      struct stat info {};
      if (!open || ::fstat(::dirfd(open.get()), &info) != 0 || info.st_dev != device_) continue;
      std::string prefix = directory == "/" ? directory : directory + "/";
      while (const dirent* entry = ::readdir(open.get())) {
        std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        ++seen;
        if (wanted_.contains(entry->d_ino)) check(prefix + name);
        if (entry->d_type == DT_DIR) directories.push_back(prefix + name);
      }
    }
  }

 private:
  void check(const std::string& path) {
    struct stat info {};
    if (wanted_.empty() || ::lstat((root_ + path).c_str(), &info) != 0 || info.st_dev != device_)
      return;
    auto found = wanted_.find(info.st_ino);
    if (found == wanted_.end()) return;
    const std::uint64_t device = (std::uint64_t{major(device_)} << 20U) | minor(device_);
    for (WatchFacts* watch : found->second)
      if (watch->device == device) watch->path = path;
    wanted_.erase(found);
  }

  std::vector<ProcessFacts>& processes_;
  std::map<std::uint64_t, std::vector<WatchFacts*>> wanted_;
  std::string root_;
  dev_t device_ = 0;
};

}  // namespace

std::optional<std::vector<WatchFacts>> parse_watches(std::string_view info) {
  std::vector<WatchFacts> all;
  for (std::size_t at = info.find("inotify wd:"); at != std::string_view::npos;
       at = info.find("inotify wd:", at + 1)) {
    WatchFacts watch;
    unsigned long inode = 0;
    unsigned long device = 0;
    std::string line(info.substr(at, info.find('\n', at) - at));
    if (std::sscanf(line.c_str(), "inotify wd:%x ino:%lx sdev:%lx mask:%x",
                    reinterpret_cast<unsigned*>(&watch.number), &inode, &device, &watch.mask) != 4)
      return std::nullopt;
    watch.inode = inode;
    watch.device = device;
    all.push_back(watch);
  }
  std::ranges::sort(all, {}, &WatchFacts::number);
  return all;
}

InotifyFacts read_inotify(std::string_view info, int copy) {
  InotifyFacts facts;
  auto watches = parse_watches(info);
  facts.is_one = watches.has_value();
  facts.has_events = unread(copy) != 0;
  if (watches) facts.watches = std::move(*watches);
  return facts;
}

Status find_watched(std::vector<ProcessFacts>& processes) {
  Finder finder(processes);
  if (!finder.wants()) return Ok{};
  finder.try_open_paths();
  if (!finder.wants()) return Ok{};
  finder.search();
  for (const ProcessFacts& process : processes) {
    for (const DescriptorFacts& fd : process.descriptors) {
      if (!fd.inotify.is_one || fd.inotify.has_events) continue;
      SF_TRY_ASSIGN(os::UniqueFd copy, descriptor_of(process.pid, fd.number));
      read_away(copy.get());
    }
  }
  return Ok{};
}

std::string inotify_trouble(const InotifyFacts& facts) {
  if (!facts.is_one) return "the native engine does not know this kind of descriptor";
  if (facts.has_events) return "it has unread events";
  for (const WatchFacts& watch : facts.watches) {
    if ((watch.mask & static_cast<unsigned>(IN_ONESHOT)) != 0)
      return "it has a watch that fires once";
    if (watch.path.empty()) return "the path of a watched file was not found";
  }
  return {};
}

void add_watches(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree) {
  std::set<std::uint32_t> done;
  for (const Descriptor& fd : process.descriptors) {
    const FileImage& file = tree.files[fd.file];
    if (file.kind != FileKind::kEvent || file.event.kind != EventKind::kInotify ||
        file.event.owner != process.pid || !done.insert(fd.file).second)
      continue;
    for (const InotifyWatch& watch : file.event.watches) {
      program.about("watching " + watch.path);
      program.call(SYS_ioctl, {fd.number, kSetNext, watch.number});
      program.call_exactly(watch.number, SYS_inotify_add_watch,
                           {fd.number, program.arena().put_text(watch.path),
                            watch.mask | static_cast<unsigned>(IN_DONT_FOLLOW)});
    }
  }
}

Status forget_own_events(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers) {
  for (const ProcessImage& process : tree.processes) {
    for (const Descriptor& fd : process.descriptors) {
      const FileImage& file = tree.files[fd.file];
      auto found = numbers.find(process.pid);
      if (file.kind != FileKind::kEvent || file.event.kind != EventKind::kInotify ||
          file.event.owner != process.pid || found == numbers.end())
        continue;
      SF_TRY_ASSIGN(os::UniqueFd copy, descriptor_of(found->second, fd.number));
      read_away(copy.get());
    }
  }
  return Ok{};
}

}  // namespace sf::waypoint::native
