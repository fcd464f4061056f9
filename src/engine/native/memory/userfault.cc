#include "engine/native/memory/userfault.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kWriteAsync = 1U << 15U;  // UFFD_FEATURE_WP_ASYNC
constexpr std::uint64_t kPage = 4096;

uffdio_range as_range(PageRange range) { return {range.start, range.size()}; }

}  // namespace

bool can_serve_faults() {
  os::UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
  return fd.valid() && UserFault::begin(std::move(fd), UserFault::Purpose::kServe).ok();
}

Result<UserFault> UserFault::begin(os::UniqueFd fd, Purpose purpose) {
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kWriteAsync | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
  if (purpose == Purpose::kServe)
    api.features |= UFFD_FEATURE_EVENT_FORK | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE |
                    UFFD_FEATURE_EVENT_UNMAP;
  if (::ioctl(fd.get(), UFFDIO_API, &api) != 0) return os::last_error("watching memory");
  return UserFault(std::move(fd));
}

Status UserFault::watch(PageRange range, Purpose purpose) const {
  uffdio_register wanted{};
  wanted.range = as_range(range);
  wanted.mode = UFFDIO_REGISTER_MODE_WP;
  if (purpose == Purpose::kServe) wanted.mode |= UFFDIO_REGISTER_MODE_MISSING;
  if (::ioctl(fd_.get(), UFFDIO_REGISTER, &wanted) != 0) return os::last_error("watching memory");
  return Ok{};
}

void UserFault::forget(PageRange range) const {
  uffdio_range which = as_range(range);
  ::ioctl(fd_.get(), UFFDIO_UNREGISTER, &which);
}

Result<std::uint64_t> UserFault::bring(std::uint64_t at, const unsigned char* bytes,
                                       std::uint64_t size) const {
  uffdio_copy wanted{};
  wanted.dst = at;
  wanted.src = reinterpret_cast<std::uint64_t>(bytes);
  wanted.len = size;
  wanted.mode = UFFDIO_COPY_MODE_WP;
  if (::ioctl(fd_.get(), UFFDIO_COPY, &wanted) == 0) return size;
  if (wanted.copy > 0) return static_cast<std::uint64_t>(wanted.copy);
  if (errno == EEXIST) return 0;
  return os::last_error("supplying a page");
}

void UserFault::bring_zero(std::uint64_t at) const {
  uffdio_zeropage wanted{};
  wanted.range = {at, kPage};
  if (::ioctl(fd_.get(), UFFDIO_ZEROPAGE, &wanted) != 0) wake({at, at + kPage});
}

void UserFault::wake(PageRange range) const {
  uffdio_range which = as_range(range);
  ::ioctl(fd_.get(), UFFDIO_WAKE, &which);
}

std::vector<FaultEvent> UserFault::read() const {
  constexpr std::size_t kAtOnce = 16;
  uffd_msg messages[kAtOnce];
  ssize_t n = ::read(fd_.get(), messages, sizeof messages);
  std::vector<FaultEvent> events;
  for (std::size_t i = 0; n > 0 && i < static_cast<std::size_t>(n) / sizeof(uffd_msg); ++i) {
    const uffd_msg& message = messages[i];
    FaultEvent event;
    switch (message.event) {
      case UFFD_EVENT_PAGEFAULT:
        event.address = message.arg.pagefault.address & ~(kPage - 1);
        break;
      case UFFD_EVENT_FORK:
        event.kind = FaultEvent::Kind::kFork;
        event.child.reset(static_cast<int>(message.arg.fork.ufd));
        break;
      case UFFD_EVENT_REMAP:
        event.kind = FaultEvent::Kind::kMove;
        event.range = {message.arg.remap.from, message.arg.remap.from + message.arg.remap.len};
        event.to = message.arg.remap.to;
        break;
      case UFFD_EVENT_REMOVE:
      case UFFD_EVENT_UNMAP:  // a new mapping there is empty
        event.kind = FaultEvent::Kind::kRemove;
        event.range = {message.arg.remove.start, message.arg.remove.end};
        break;
      default:
        continue;
    }
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace sf::waypoint::native
