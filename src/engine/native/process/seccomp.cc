#include "engine/native/process/seccomp.h"

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <cerrno>

#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint32_t kByFilters = 2;
constexpr std::uint64_t kSuspend = 1U << 21U;  // PTRACE_O_SUSPEND_SECCOMP
constexpr int kGetFilter = 0x420c;             // PTRACE_SECCOMP_GET_FILTER
constexpr int kGetMetadata = 0x420d;           // PTRACE_SECCOMP_GET_METADATA
constexpr std::size_t kEffective = 2;          // of Credentials::capabilities

long trace(int request, pid_t tid, std::uint64_t address, void* data) {
  return ::ptrace(static_cast<__ptrace_request>(request), tid, address, data);
}

Status suspend(const Tracee& thread) {
  if (trace(PTRACE_SETOPTIONS, thread.tid(), 0, reinterpret_cast<void*>(kSuspend)) == 0)
    return Ok{};
  return os::last_error("suspending the filters of a thread");
}

}  // namespace

std::string seccomp_trouble(const StatusText& status) {
  if (status.seccomp == 0) return {};
  if (status.seccomp != kByFilters) return "it is in strict mode";
  bool may_install = status.credentials.no_new_privileges != 0 ||
                     ((status.credentials.capabilities[kEffective] >> CAP_SYS_ADMIN) & 1U) != 0;
  return may_install ? std::string() : "it may no longer install its filters";
}

Result<std::vector<FilterImage>> capture_filters(const StatusText& status, Tracee& thread) {
  std::vector<FilterImage> filters;
  if (status.seccomp != kByFilters) return filters;
  SF_TRY(suspend(thread));
  for (std::uint64_t i = 0;; ++i) {
    long count = trace(kGetFilter, thread.tid(), i, nullptr);
    if (count < 0 && errno == ENOENT) return filters;
    if (count < 0) return os::last_error("reading a filter of system calls");
    FilterImage& filter = filters.emplace_back();
    filter.instructions.resize(static_cast<std::size_t>(count) * sizeof(sock_filter));
    __ptrace_seccomp_metadata about{i, 0};
    if (trace(kGetFilter, thread.tid(), i, filter.instructions.data()) != count ||
        trace(kGetMetadata, thread.tid(), sizeof about, &about) < 0)
      return os::last_error("reading a filter of system calls");
    filter.flags = static_cast<std::uint32_t>(about.flags);
  }
}

Status install_filters(Tracee& thread, std::uint64_t syscall_instruction,
                       const std::vector<FilterImage>& filters, Arena& arena) {
  if (filters.empty()) return Ok{};
  SF_TRY(suspend(thread));
  for (const FilterImage& filter : filters) {
    const std::uint64_t at = arena.put(filter.instructions.data(), filter.instructions.size());
    sock_fprog program{
        static_cast<unsigned short>(filter.instructions.size() / sizeof(sock_filter)),
        reinterpret_cast<sock_filter*>(at)};
    SF_TRY_ASSIGN(long result,
                  thread.call(syscall_instruction, SYS_seccomp,
                              {SECCOMP_SET_MODE_FILTER, filter.flags, arena.put_value(program)}));
    if (result != 0)
      return os::os_error(static_cast<int>(-result), "restoring a filter of system calls");
  }
  return Ok{};
}

}  // namespace sf::waypoint::native
