#include "engine/native/files/inodes.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "engine/native/files/directory_of.h"
#include "engine/native/ptrace/remote_fd.h"
#include "os/error.h"
#include "os/file.h"
#include "os/pipe.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kLargeFile = 0100000;  // the kernel's O_LARGEFILE; the C library's is 0
constexpr std::uint64_t kMostAtOnce = 1ULL << 30U;

// Returns the pipe's content without consuming it.
Result<std::string> peek_pipe(int fd) {
  SF_TRY_ASSIGN(os::UniqueFd source, os::open_file(os::fd_path(fd), O_RDONLY | O_NONBLOCK));
  int size = 0;
  if (::ioctl(source.get(), FIONREAD, &size) != 0) return os::last_error("looking into a pipe");
  if (size == 0) return std::string();
  SF_TRY_ASSIGN(os::Pipe copy, os::make_pipe());
  int capacity = ::fcntl(source.get(), F_GETPIPE_SZ);
  if (::fcntl(copy.write_end.get(), F_SETPIPE_SZ, capacity) < 0)
    return os::last_error("copying a pipe");
  ssize_t n =
      ::tee(source.get(), copy.write_end.get(), static_cast<std::size_t>(size), SPLICE_F_NONBLOCK);
  if (n < 0) return os::last_error("copying a pipe");
  std::string content(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < content.size();) {
    ssize_t got =
        n == size ? ::read(copy.read_end.get(), content.data() + done, content.size() - done) : 0;
    if (got <= 0) return fail(ErrorCode::kOs, "a pipe's content could not be copied whole");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

Status capture_pipe(int fd, InodeImage& inode) {
  int capacity = ::fcntl(fd, F_GETPIPE_SZ);
  if (capacity < 0) return os::last_error("looking at a pipe");
  inode.capacity = static_cast<std::uint32_t>(capacity);
  SF_TRY_ASSIGN(inode.content, peek_pipe(fd));
  return Ok{};
}

}  // namespace

Result<std::uint32_t> InodeCapture::find_or_capture(pid_t pid, const DescriptorFacts& fd,
                                                    DescriptorKind kind) {
  auto [found, is_new] = known_.try_emplace({fd.file.st_dev, fd.file.st_ino}, 0U);
  if (!is_new) return found->second;
  if (kind == DescriptorKind::kLostDirectory || kind == DescriptorKind::kOtherName) {
    found->second = add_lost(fd.file, fd.link, fd.lost);
    return found->second;
  }
  found->second = static_cast<std::uint32_t>(tree_.inodes.size());
  SF_TRY_ASSIGN(os::UniqueFd copy, descriptor_of(pid, fd.number));
  struct stat now {};  // the facts of init may be older
  if (::fstat(copy.get(), &now) != 0) return os::last_error("looking at a descriptor");
  InodeImage inode = describe(now);
  if (kind == DescriptorKind::kPipe || kind == DescriptorKind::kFifo) {
    inode.kind = kind == DescriptorKind::kPipe ? InodeKind::kPipe : InodeKind::kFifo;
    inode.name = fd.link;
    SF_TRY(capture_pipe(copy.get(), inode));
  } else {
    inode.kind = kind == DescriptorKind::kMemoryFile ? InodeKind::kMemory : InodeKind::kUnlinked;
    inode.name = without_mark(fd.link);
    // A separate description, so that the process's file offset does not move.
    SF_TRY_ASSIGN(os::UniqueFd own, os::open_file(os::fd_path(copy.get()), O_RDONLY));
    SF_TRY(capture_content(own.get(), inode));
  }
  tree_.inodes.push_back(std::move(inode));
  return found->second;
}

Result<std::uint32_t> InodeCapture::find_or_capture(pid_t pid, const MappingText& mapping) {
  return find_or_capture(map_file(pid, mapping), mapping.name, mapping.lost);
}

Result<std::uint32_t> InodeCapture::find_or_capture(const std::string& path,
                                                    const std::string& link, const LostName& lost) {
  SF_TRY_ASSIGN(os::UniqueFd fd, os::open_file(path, O_RDONLY));
  struct stat file {};
  if (::fstat(fd.get(), &file) != 0) return os::last_error("looking at " + path);
  auto [found, is_new] = known_.try_emplace({file.st_dev, file.st_ino}, 0U);
  if (!is_new) return found->second;
  if (S_ISDIR(file.st_mode) || lost.left == LostName::Left::kAnother) {
    found->second = add_lost(file, link, lost);
    return found->second;
  }
  found->second = static_cast<std::uint32_t>(tree_.inodes.size());
  InodeImage inode = describe(file);
  inode.name = without_mark(link);
  inode.kind = inode.name.starts_with("/memfd:") ? InodeKind::kMemory
               : inode.name == "/dev/zero"       ? InodeKind::kSharedMemory
                                                 : InodeKind::kUnlinked;
  SF_TRY(capture_content(fd.get(), inode));
  tree_.inodes.push_back(std::move(inode));
  return found->second;
}

std::uint32_t InodeCapture::add_lost(const struct stat& file, const std::string& link,
                                     const LostName& lost) {
  InodeImage inode = describe(file);
  inode.kind = S_ISDIR(file.st_mode) ? InodeKind::kDirectory : InodeKind::kOtherName;
  inode.name = without_mark(link);
  inode.other = lost.path;
  tree_.inodes.push_back(std::move(inode));
  return static_cast<std::uint32_t>(tree_.inodes.size() - 1);
}

InodeImage InodeCapture::describe(const struct stat& file) {
  InodeImage inode;
  inode.size = static_cast<std::uint64_t>(file.st_size);
  inode.mode = file.st_mode & 07777U;
  inode.uid = file.st_uid;
  inode.gid = file.st_gid;
  inode.times = {file.st_atim, file.st_mtim};
  return inode;
}

Status InodeCapture::capture_content(int fd, InodeImage& inode) {
  if (inode.kind == InodeKind::kMemory) {
    inode.name = inode.name.substr(std::string_view("/memfd:").size());
    inode.seals = static_cast<std::uint32_t>(std::max(0, ::fcntl(fd, F_GET_SEALS)));
  }
  if (inode.kind == InodeKind::kSharedMemory) inode.name = "shared-memory";
  return pages_.append_file(fd, inode.size, inode.extents);
}

void InodeRestore::move(Argument fd, int number) {
  program_.call(SYS_dup3, {fd, number, O_CLOEXEC});
  program_.call(SYS_close, {fd});
}

void InodeRestore::make_pipe(const InodeImage& inode, std::uint32_t index) {
  std::uint64_t ends = program_.arena().reserve(2 * sizeof(int));
  program_.about("making a pipe");
  program_.call(SYS_pipe2, {ends, O_CLOEXEC});
  Argument read = program_.keep(kLoad, {ends});
  Argument write = program_.keep(kLoad, {ends + sizeof(int)});
  move(read, helper(index, false));
  move(write, helper(index, true));
  fill_pipe(inode, helper(index, true));
}

void InodeRestore::make_fifo(const InodeImage& inode, std::uint32_t index) {
  program_.about("opening " + inode.name);
  Argument both = program_.keep(SYS_openat, {AT_FDCWD, program_.arena().put_text(inode.name),
                                             O_RDWR | O_NONBLOCK | O_CLOEXEC});
  move(both, helper(index, false));
  fill_pipe(inode, helper(index, false));
}

void InodeRestore::fill_pipe(const InodeImage& inode, int fd) {
  program_.about("filling a pipe");
  program_.call(SYS_fcntl, {fd, F_SETPIPE_SZ, inode.capacity});
  if (!inode.content.empty())
    program_.call_exactly(static_cast<long>(inode.content.size()), SYS_write,
                          {fd, program_.arena().put(inode.content.data(), inode.content.size()),
                           inode.content.size()});
}

void InodeRestore::fill_file(const InodeImage& inode, int fd) {
  program_.about("filling " + inode.name);
  program_.call(SYS_ftruncate, {fd, inode.size});
  for (const Extent& extent : inode.extents) {
    for (std::uint64_t done = 0; done < extent.size;) {
      std::uint64_t size = std::min(extent.size - done, kMostAtOnce);
      std::uint64_t offset = extent.offset + done;
      program_.call(SYS_lseek, {fd, extent.at + done, SEEK_SET});
      program_.call_exactly(static_cast<long>(size), SYS_sendfile,
                            {fd, locations_.pages, program_.arena().put_value(offset), size});
      done += size;
    }
  }
  program_.call(SYS_lseek, {fd, 0, SEEK_SET});
}

void InodeRestore::make_memory_file(const InodeImage& inode, std::uint32_t index) {
  bool can_be_sealed = inode.kind == InodeKind::kMemory && inode.seals != F_SEAL_SEAL;
  program_.about("making memory file " + inode.name);
  Argument fd =
      program_.keep(SYS_memfd_create, {program_.arena().put_text(inode.name),
                                       MFD_CLOEXEC | (can_be_sealed ? MFD_ALLOW_SEALING : 0U)});
  move(fd, helper(index, false));
  fill_file(inode, helper(index, false));
}

// Makes the name free for a moment: creates missing parents and renames the file that has the name.
InodeRestore::BorrowedName InodeRestore::borrow(const std::string& path, std::uint32_t index) {
  BorrowedName name;
  name.path = path;
  struct stat info {};
  std::string top = path;
  while (::stat((root_.path() + directory_of(top)).c_str(), &info) != 0) {
    top = directory_of(top);
    name.parents.push_back(top);
  }
  if (!S_ISDIR(info.st_mode)) {
    top = name.path = "/.waypoint-unlinked-" + std::to_string(index);
    name.parents.clear();
    (void)::stat((root_.path() + "/").c_str(), &info);
  }
  name.directory = directory_of(top);
  name.times = {info.st_atim, info.st_mtim};
  if (::lstat((root_.path() + name.path).c_str(), &info) == 0)
    name.owner = directory_of(name.path) + "/.waypoint-owner-" + std::to_string(index);
  program_.about("making " + name.path + " again");
  if (!name.owner.empty()) rename(name.path, name.owner);
  for (auto each = name.parents.rbegin(); each != name.parents.rend(); ++each)
    program_.call(SYS_mkdirat, {AT_FDCWD, program_.arena().put_text(*each), 0700});
  return name;
}

void InodeRestore::give_back(const BorrowedName& name) {
  for (const std::string& each : name.parents)
    program_.call(SYS_unlinkat, {AT_FDCWD, program_.arena().put_text(each), AT_REMOVEDIR});
  if (!name.owner.empty()) rename(name.owner, name.path);
  // Hides the change of the directory.
  program_.call(SYS_utimensat, {AT_FDCWD, program_.arena().put_text(name.directory),
                                program_.arena().put_value(name.times), 0});
}

void InodeRestore::rename(const std::string& from, const std::string& to) {
  program_.call(SYS_renameat2, {AT_FDCWD, program_.arena().put_text(from), AT_FDCWD,
                                program_.arena().put_text(to), RENAME_NOREPLACE});
}

void InodeRestore::make_directory(const InodeImage& inode, std::uint32_t index) {
  BorrowedName name = borrow(inode.name, index);
  std::uint64_t path = program_.arena().put_text(name.path);
  program_.call(SYS_mkdirat, {AT_FDCWD, path, 0700});
  move(program_.keep(SYS_openat, {AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC}),
       helper(index, false));
  program_.call(SYS_unlinkat, {AT_FDCWD, path, AT_REMOVEDIR});
  give_back(name);
}

void InodeRestore::make_unlinked(const InodeImage& inode, std::uint32_t index) {
  bool is_there = inode.kind == InodeKind::kOtherName;
  BorrowedName name = borrow(inode.name, index);
  std::uint64_t path = program_.arena().put_text(name.path);
  std::string other = inode.other;
  if (!name.owner.empty() && other.starts_with(name.path + "/"))
    other.replace(0, name.path.size(), name.owner);
  if (is_there)
    program_.call(SYS_linkat, {AT_FDCWD, program_.arena().put_text(other), AT_FDCWD, path, 0});
  int flags = O_RDWR | O_CLOEXEC | (is_there ? 0 : O_CREAT | O_EXCL);
  move(program_.keep(SYS_openat, {AT_FDCWD, path, flags, 0600}), helper(index, false));
  program_.call(SYS_unlinkat, {AT_FDCWD, path, 0});
  give_back(name);
  if (!is_there) fill_file(inode, helper(index, false));
}

void InodeRestore::make(std::uint32_t index) {
  if (!made_.insert(index).second) return;
  const InodeImage& inode = tree_.inodes[index];
  if (inode.kind == InodeKind::kPipe) make_pipe(inode, index);
  if (inode.kind == InodeKind::kFifo) return make_fifo(inode, index);
  if (inode.kind == InodeKind::kMemory || inode.kind == InodeKind::kSharedMemory)
    make_memory_file(inode, index);
  if (inode.kind == InodeKind::kOtherName) return make_unlinked(inode, index);
  if (inode.kind == InodeKind::kUnlinked) make_unlinked(inode, index);
  if (inode.kind == InodeKind::kDirectory) make_directory(inode, index);
  program_.about("owner of " + inode.name);
  program_.call(SYS_fchown, {helper(index, false), inode.uid, inode.gid});
  program_.call(SYS_fchmod, {helper(index, false), inode.mode});
}

void InodeRestore::open(const FileImage& file, int location) {
  make(file.inode);
  const InodeImage& inode = tree_.inodes[file.inode];
  unsigned access = file.flags & O_ACCMODE;
  bool is_pipe = inode.kind == InodeKind::kPipe;
  bool as_made = (is_pipe && access != O_RDWR && (file.flags & kLargeFile) == 0) ||
                 (inode.kind == InodeKind::kMemory && access == O_RDWR);
  int source = helper(file.inode, is_pipe && access == O_WRONLY);
  program_.about("opening " + inode.name);
  if (as_made && taken_.insert(source).second) {
    program_.call(SYS_dup3, {source, location, O_CLOEXEC});
  } else {
    std::string path =
        inode.kind == InodeKind::kFifo ? inode.name : "/proc/self/fd/" + std::to_string(source);
    Argument fd = program_.keep(SYS_openat, {AT_FDCWD, program_.arena().put_text(path),
                                             file.flags | O_NONBLOCK | O_CLOEXEC});
    move(fd, location);
  }
  if ((file.flags & O_PATH) != 0) return;
  program_.call(SYS_fcntl, {location, F_SETFL, file.flags});
  if (inode.kind != InodeKind::kPipe && inode.kind != InodeKind::kFifo)
    program_.call(SYS_lseek, {location, file.offset, SEEK_SET});
}

void InodeRestore::finish() {
  for (std::uint32_t index : made_) {
    const InodeImage& inode = tree_.inodes[index];
    bool is_file = inode.kind == InodeKind::kMemory || inode.kind == InodeKind::kUnlinked;
    program_.about("times and seals of " + inode.name);
    if (is_file)
      program_.call(SYS_utimensat,
                    {helper(index, false), 0, program_.arena().put_value(inode.times), 0});
    if (inode.kind == InodeKind::kMemory && inode.seals != F_SEAL_SEAL && inode.seals != 0)
      program_.call(SYS_fcntl, {helper(index, false), F_ADD_SEALS, inode.seals});
  }
  for (std::uint32_t index : made_) {
    if (!mapped_.contains(index)) {
      program_.call(SYS_close_range, {helper(index, false), helper(index, true), 0});
    } else if (!written_.contains(index)) {
      // Reopened read-only: a file that is open for writing cannot be executed.
      program_.about("opening " + tree_.inodes[index].name);
      std::string path = "/proc/self/fd/" + std::to_string(helper(index, false));
      move(program_.keep(SYS_openat, {AT_FDCWD, program_.arena().put_text(path), O_RDONLY}),
           helper(index, false));
    }
  }
}

void InodeRestore::hold_for_mappings() {
  for (const ProcessImage& process : tree_.processes) {
    for (std::uint32_t held : {process.cwd_inode, process.layout.exe_inode}) {
      if (held == kNone) continue;
      make(held);
      mapped_.insert(held);
    }
    for (const Mapping& mapping : process.mappings) {
      if (mapping.kind != MappingKind::kShared) continue;
      make(mapping.file);
      mapped_.insert(mapping.file);
      if ((mapping.flags & MAP_SHARED) != 0) written_.insert(mapping.file);
    }
  }
}

}  // namespace sf::waypoint::native
