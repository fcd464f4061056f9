// userfaultfd of another process: its pages can be watched for writes without stopping anybody
// (the kernel notes a write and lets it go on), and be missing until somebody brings them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/native/memory/backing.h"
#include "os/fd.h"

namespace sf::waypoint::native {

// Flags of the system call, which older headers lack. For watching alone nobody needs privileges.
inline constexpr int kUserModeOnly = 1;

struct FaultEvent {
  enum class Kind { kMissing, kFork, kMove, kRemove } kind = Kind::kMissing;
  std::uint64_t address = 0;  // kMissing
  PageRange range{};          // kMove: from; kRemove
  std::uint64_t to = 0;       // kMove
  os::UniqueFd child{};       // kFork: that of the new process
};

// Whether this kernel and this process can have memory brought when it is touched.
bool can_serve_faults();

class UserFault {
 public:
  enum class Purpose { kWatch, kServe };

  // `fd` is fresh from the system call. Fails where the kernel is older than 6.7.
  static Result<UserFault> begin(os::UniqueFd fd, Purpose purpose);
  // Of a child that inherited it: nothing is to be arranged.
  explicit UserFault(os::UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  Status watch(PageRange range, Purpose purpose) const;
  void forget(PageRange range) const;
  // Brings pages that are missing, protected. Returns how many bytes are there now, which may be
  // less; 0: somebody else brought the first one. EAGAIN: its mappings are about to change, which
  // an event tells. ESRCH: it has ended, or runs another program.
  Result<std::uint64_t> bring(std::uint64_t at, const unsigned char* bytes,
                              std::uint64_t size) const;
  void bring_zero(std::uint64_t at) const;
  void wake(PageRange range) const;
  // What has happened; empty when nothing has.
  std::vector<FaultEvent> read() const;

 private:
  os::UniqueFd fd_;
};

}  // namespace sf::waypoint::native
