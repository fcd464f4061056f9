#include "engine/native/classify.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/native/files/event_files.h"
#include "engine/native/files/locks.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kPipeSystem = 0x50495045;
constexpr std::uint64_t kProcessSystem = 0x50494446;  // pidfs
constexpr std::uint64_t kQueueSystem = 0x19800202;    // mqueue
constexpr std::uint64_t kSocketSystem = 0x534f434b;

DescriptorVerdict refuse(const DescriptorFacts& fd, const std::string& name, std::string why) {
  return {DescriptorKind::kRefused, "descriptor " + std::to_string(fd.number) + " (" + name + ")",
          std::move(why)};
}

// True if a path below /proc belongs to one process.
bool is_of_a_process(const std::string& path) {
  std::string_view rest = std::string_view(path).substr(std::min<std::size_t>(6, path.size()));
  return !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
}

DescriptorVerdict judge_pty(const DescriptorFacts& fd) {
  if (fd.pty.end == PtyFacts::End::kNeither)
    return refuse(fd, fd.link, "the native engine does not support this device");
  std::string trouble = pty_trouble(fd.pty);
  if (!trouble.empty()) return refuse(fd, fd.link, trouble);
  if (fd.pty.end == PtyFacts::End::kMaster) return {DescriptorKind::kMaster, {}, {}};
  if (fd.pty.is_dead) return {DescriptorKind::kDeadTerminal, {}, {}};
  return {
      fd.pty.end == PtyFacts::End::kOwn ? DescriptorKind::kOwnTerminal : DescriptorKind::kTerminal,
      {},
      {}};
}

DescriptorVerdict judge_device(const DescriptorFacts& fd) {
  constexpr std::array kMemoryDevices = {3U, 5U, 7U, 8U, 9U};  // null, zero, full, random, urandom
  unsigned number = minor(fd.file.st_rdev);
  if (S_ISCHR(fd.file.st_mode) && major(fd.file.st_rdev) == 1 &&
      std::ranges::find(kMemoryDevices, number) != kMemoryDevices.end()) {
    if (is_deleted(fd.link)) return refuse(fd, fd.link, "its name was removed");
    return {DescriptorKind::kPath, {}, {}};
  }
  return judge_pty(fd);
}

DescriptorVerdict judge_lost(const DescriptorFacts& fd) {
  std::string trouble = lost_name_trouble(fd.lost);
  if (!trouble.empty()) return refuse(fd, fd.link, trouble);
  if (S_ISDIR(fd.file.st_mode) && fd.has_location) return {DescriptorKind::kLostDirectory, {}, {}};
  if (!S_ISREG(fd.file.st_mode))
    return refuse(fd, fd.link, "its name was removed, and the engine cannot recreate it");
  if (fd.lost.left == LostName::Left::kAnother) return {DescriptorKind::kOtherName, {}, {}};
  return {DescriptorKind::kUnlinked, {}, {}};
}

DescriptorVerdict judge_file(const DescriptorFacts& fd) {
  bool is_location = (fd.info.flags & static_cast<unsigned>(O_PATH)) != 0;  // no file was opened
  bool is_lost = is_deleted(fd.link) && fd.lost.left != LostName::Left::kOwn;
  if (is_location && !is_lost) return {DescriptorKind::kPath, {}, {}};
  if (S_ISCHR(fd.file.st_mode) || S_ISBLK(fd.file.st_mode)) return judge_device(fd);
  if (is_lost) return judge_lost(fd);
  if (S_ISFIFO(fd.file.st_mode)) return {DescriptorKind::kFifo, {}, {}};
  if (S_ISREG(fd.file.st_mode) || S_ISDIR(fd.file.st_mode)) return {DescriptorKind::kPath, {}, {}};
  return refuse(fd, fd.link, "the native engine does not support this kind of file");
}

bool is_known_flag(std::string_view flag) {
  // Read, write, execute, shared, and the four permissions that a mapping may get; grows down;
  // locked, locked on fault; sequential or random reads; not copied on fork, wiped on fork, not
  // dumped; accounted, not reserved; huge pages or none; mergeable; soft dirty; guards.
  constexpr std::array<std::string_view, 23> kKnown = {
      "rd", "wr", "ex", "sh", "mr", "mw", "me", "ms", "gd", "lo", "lf", "sr",
      "rr", "dc", "wf", "dd", "ac", "nr", "hg", "nh", "mg", "sd", "gu"};
  return std::ranges::find(kKnown, flag) != kKnown.end();
}

MappingVerdict refuse(std::string why) { return {true, MappingKind::kAnonymous, std::move(why)}; }

}  // namespace

DescriptorVerdict classify(const DescriptorFacts& fd) {
  if (!parse_locks(fd.info.text)) return refuse(fd, fd.link, "it holds a lock of an unknown type");
  if (fd.owner.is_there && fd.owner.inner == 0)
    return refuse(fd, fd.link, "it sends signals to a thread or outside the branch");
  switch (fd.file_system) {
    case kPipeSystem:
      if ((fd.info.flags & static_cast<unsigned>(O_DIRECT)) != 0)
        return refuse(fd, "pipe", "it is in packet mode (O_DIRECT)");
      return {DescriptorKind::kPipe, {}, {}};
    case OVERLAYFS_SUPER_MAGIC:
      return judge_file(fd);
    case SYSFS_MAGIC:
      return {DescriptorKind::kPath, {}, {}};
    case PROC_SUPER_MAGIC:
      if (is_of_a_process(fd.link) || is_deleted(fd.link))
        return refuse(fd, fd.link, "it is a /proc file of a process");
      return {DescriptorKind::kPath, {}, {}};
    case DEVPTS_SUPER_MAGIC:
      if (S_ISCHR(fd.file.st_mode) && major(fd.file.st_rdev) == 136 && minor(fd.file.st_rdev) == 0)
        return {DescriptorKind::kTerminal, {}, {}};
      return judge_pty(fd);
    case TMPFS_MAGIC:
      if (fd.link.starts_with("/memfd:")) return {DescriptorKind::kMemoryFile, {}, {}};
      break;
    case kQueueSystem:
      if (is_deleted(fd.link)) return refuse(fd, fd.link, "its name was removed");
      return {DescriptorKind::kMessageQueue, {}, {}};
    case kSocketSystem: {
      auto trouble = socket_trouble(fd.socket);
      if (trouble) return refuse(fd, fd.link, *trouble);
      return {DescriptorKind::kSocket, {}, {}};
    }
    case ANON_INODE_FS_MAGIC:
      if (fd.link == "anon_inode:inotify") {
        std::string trouble = inotify_trouble(fd.inotify);
        if (!trouble.empty()) return refuse(fd, "inotify", trouble);
        return {DescriptorKind::kEvent, {}, {}};
      }
      if (parse_event(fd.link, fd.info.text)) return {DescriptorKind::kEvent, {}, {}};
      break;
    case kProcessSystem:
      if (parse_event(fd.link, fd.info.text)) return {DescriptorKind::kEvent, {}, {}};
      break;
    default:
      break;
  }
  return refuse(fd, fd.link, "the native engine does not support this kind of descriptor");
}

MappingVerdict classify(const MappingText& mapping) {
  const std::string& name = mapping.name;
  for (std::string_view kernel : {"[vdso]", "[vvar]", "[vvar_vclock]", "[vsyscall]"})
    if (name == kernel) return {false, MappingKind::kKernel, {}};
  for (const std::string& flag : mapping.flags)
    if (!is_known_flag(flag)) return refuse("it has the unknown flag \"" + flag + "\"");
  bool is_shared = mapping.permissions.size() == 4 && mapping.permissions[3] == 's';
  // The inode number of such a mapping is the segment's id, which may be 0.
  if (name.starts_with("/SYSV") && is_deleted(name) && is_shared)
    return {false, MappingKind::kSysv, {}};
  if (mapping.inode == 0) {
    bool plain =
        name.empty() || name == "[heap]" || name == "[stack]" || name.starts_with("[anon:");
    if (plain && !is_shared) return {false, MappingKind::kAnonymous, {}};
    return refuse("the native engine does not support this kind of mapping");
  }
  bool has_name = !is_deleted(name) || mapping.lost.left == LostName::Left::kOwn;
  std::string trouble = lost_name_trouble(mapping.lost);
  if (!trouble.empty()) return refuse(trouble);
  bool is_memory = name.starts_with("/memfd:") || (name == "/dev/zero (deleted)" && is_shared);
  if (!has_name && (is_memory || (name[0] == '/' && !name.starts_with("/dev/zero"))))
    return {false, MappingKind::kShared, {}};
  if (name.empty() || name[0] != '/' || name.starts_with("/proc/") || name.find('\\') != name.npos)
    return refuse("the native engine does not support this kind of mapping");
  if (name.starts_with("/dev/") && name != "/dev/zero" && !name.starts_with("/dev/shm/") &&
      name != "/dev/.waypoint-init")
    return refuse("the native engine does not support mapped devices");
  return {false, MappingKind::kFile, {}};
}

}  // namespace sf::waypoint::native
