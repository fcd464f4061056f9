#include "engine/native/ipc/posix_queues.h"

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>

#include "base/scope_exit.h"
#include "os/error.h"
#include "os/file.h"
#include "os/mount.h"

namespace sf::waypoint::native {
namespace {

constexpr timespec kAtOnce{0, 0};  // in the past: calls do not block
constexpr std::size_t kMaxStatus = 4096;

Status put_messages(int queue, const std::vector<PosixMessage>& messages) {
  for (const PosixMessage& each : messages)
    if (::mq_timedsend(queue, each.bytes.data(), each.bytes.size(), each.priority, &kAtOnce) != 0)
      return os::last_error("filling a message queue");
  return Ok{};
}

Status take_messages(int queue, std::size_t size, std::vector<PosixMessage>& messages) {
  std::string buffer(size, '\0');
  for (;;) {
    unsigned priority = 0;
    ssize_t n = ::mq_timedreceive(queue, buffer.data(), buffer.size(), &priority, &kAtOnce);
    if (n < 0 && (errno == ETIMEDOUT || errno == EAGAIN)) return Ok{};
    if (n < 0) return os::last_error("looking into a message queue");
    messages.push_back({priority, buffer.substr(0, static_cast<std::size_t>(n))});
  }
}

Result<PosixQueueImage> capture_queue(int queue, const std::string& name) {
  PosixQueueImage image;
  struct stat file {};
  mq_attr attributes{};
  if (::fstat(queue, &file) != 0 || ::mq_getattr(queue, &attributes) != 0)
    return os::last_error("looking at message queue " + name);
  image.name = name;
  image.mode = file.st_mode & 07777U;
  image.uid = file.st_uid;
  image.gid = file.st_gid;
  image.most = attributes.mq_maxmsg;
  image.size = attributes.mq_msgsize;
  Status taken = take_messages(queue, static_cast<std::size_t>(image.size), image.messages);
  SF_TRY(put_messages(queue, image.messages));
  if (!taken) return std::move(taken).error();
  image.times = {file.st_atim, file.st_mtim};
  (void)::futimens(queue, image.times.data());
  return image;
}

Status make_queue(const PosixQueueImage& image) {
  mq_attr attributes{};
  attributes.mq_maxmsg = image.most;
  attributes.mq_msgsize = image.size;
  os::UniqueFd queue(::mq_open(("/" + image.name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                               0600, &attributes));
  if (!queue.valid()) return os::last_error("making message queue " + image.name);
  SF_TRY(put_messages(queue.get(), image.messages));
  if (::fchown(queue.get(), image.uid, image.gid) != 0 || ::fchmod(queue.get(), image.mode) != 0 ||
      ::futimens(queue.get(), image.times.data()) != 0)
    return os::last_error("owner of message queue " + image.name);
  return Ok{};
}

}  // namespace

bool names_listener(const std::string& status) {
  constexpr std::string_view kKey = "NOTIFY_PID:";
  std::size_t at = status.find(kKey);
  return at == std::string::npos || status.compare(at + kKey.size(), 1, "0") != 0;
}

Result<std::vector<PosixQueueFacts>> PosixQueues::look(std::uint64_t name_space) {
  std::vector<PosixQueueFacts> all;
  if (!mount_.valid() || name_space_ != name_space) {
    auto mount = os::mount_detached("mqueue", {});
    if (!mount && mount.error().os_errno == ENODEV) return all;  // this kernel has none
    if (!mount) return std::move(mount).error().while_doing("looking for message queues");
    mount_ = std::move(*mount);
    name_space_ = name_space;
  }
  os::UniqueFd directory(::openat(mount_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, int (*)(DIR*)> open(
      directory.valid() ? ::fdopendir(directory.get()) : nullptr, ::closedir);
  if (!open) return os::last_error("looking for message queues");
  (void)directory.release();
  while (const dirent* entry = ::readdir(open.get())) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    SF_TRY_ASSIGN(std::string status,
                  os::read_file(os::fd_path(mount_.get()) + "/" + name, kMaxStatus));
    all.push_back({name, names_listener(status)});
  }
  return all;
}

Status PosixQueues::capture(const std::vector<PosixQueueFacts>& queues, IpcImage& ipc) const {
  for (const PosixQueueFacts& each : queues) {
    os::UniqueFd queue(::openat(mount_.get(), each.name.c_str(), O_RDWR | O_CLOEXEC));
    if (!queue.valid()) return os::last_error("opening message queue " + each.name);
    SF_TRY_ASSIGN(PosixQueueImage image, capture_queue(queue.get(), each.name));
    ipc.posix_queues.push_back(std::move(image));
  }
  return Ok{};
}

bool may_have_queues(PosixQueues& queues) {
  struct stat space {};
  if (::stat("/proc/self/ns/ipc", &space) != 0) return true;
  auto found = queues.look(space.st_ino);
  return !found || !found->empty();
}

Status make_posix_queues(const IpcImage& ipc) {
  if (ipc.posix_queues.empty()) return Ok{};
  rlimit before{};
  rlimit all{RLIM_INFINITY, RLIM_INFINITY};  // the original queues were within their owners' limits
  (void)::getrlimit(RLIMIT_MSGQUEUE, &before);
  (void)::setrlimit(RLIMIT_MSGQUEUE, &all);
  ScopeExit as_before([&] { (void)::setrlimit(RLIMIT_MSGQUEUE, &before); });
  for (const PosixQueueImage& each : ipc.posix_queues) SF_TRY(make_queue(each));
  return Ok{};
}

void remove_posix_queues(const IpcImage& ipc) {
  for (const PosixQueueImage& each : ipc.posix_queues) (void)::mq_unlink(("/" + each.name).c_str());
}

}  // namespace sf::waypoint::native
