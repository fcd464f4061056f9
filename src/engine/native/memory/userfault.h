// userfaultfd of another process. It tracks writes to pages without stopping any thread (the kernel
// notes a write and lets it proceed), and lets the engine supply missing pages.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/native/memory/backing.h"
#include "os/fd.h"

namespace sf::waypoint::native {

// Flag of userfaultfd(2) that older headers lack. With it, watching alone needs no privileges.
inline constexpr int kUserModeOnly = 1;

struct FaultEvent {
  enum class Kind { kMissing, kFork, kMove, kRemove } kind = Kind::kMissing;
  std::uint64_t address = 0;  // kMissing
  PageRange range{};          // kMove: from; kRemove
  std::uint64_t to = 0;       // kMove
  os::UniqueFd child{};       // kFork: userfaultfd of the new process
};

// True if this kernel lets this process serve page faults.
bool can_serve_faults();

class UserFault {
 public:
  enum class Purpose { kWatch, kServe };

  // `fd`: a new userfaultfd. Fails on kernels older than 6.7.
  static Result<UserFault> begin(os::UniqueFd fd, Purpose purpose);
  // For a child that inherited the registration.
  explicit UserFault(os::UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  Status watch(PageRange range, Purpose purpose) const;
  void forget(PageRange range) const;
  // Supplies missing pages, write-protected. Returns the number of bytes supplied, which may be
  // less than `size`; 0: the first page is already present. EAGAIN: the process's mappings are
  // about to change, which an event reports. ESRCH: it has ended, or runs another program.
  Result<std::uint64_t> bring(std::uint64_t at, const unsigned char* bytes,
                              std::uint64_t size) const;
  void bring_zero(std::uint64_t at) const;
  void wake(PageRange range) const;
  // The events since the last call.
  std::vector<FaultEvent> read() const;

 private:
  os::UniqueFd fd_;
};

}  // namespace sf::waypoint::native
