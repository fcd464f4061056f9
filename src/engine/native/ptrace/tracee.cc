#include "engine/native/ptrace/tracee.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "os/error.h"
#include "os/process.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMaxExtended = 32768;
constexpr std::uint64_t kMaskSize = 8;
constexpr auto kTrapTime = std::chrono::seconds(30);
constexpr auto kReleaseTime = std::chrono::seconds(10);

long trace(int request, pid_t tid, std::uint64_t address, void* data) {
  return ::ptrace(static_cast<__ptrace_request>(request), tid, address, data);
}

std::string thread_name(pid_t tid) { return "thread " + std::to_string(tid); }

// False: no status yet.
Result<bool> look(pid_t tid, int& status) {
  pid_t seen = ::waitpid(tid, &status, __WALL | WNOHANG);
  if (seen < 0 && errno != EINTR) return os::last_error("waiting for " + thread_name(tid));
  return seen == tid;
}

Error ended(pid_t tid) {
  return os::os_error(ESRCH, thread_name(tid) + " ended while it was traced");
}

// Polls: a thread that waits for its vfork() child never stops, and no wait has a deadline.
Result<int> wait_for_stop(pid_t tid, Deadline deadline) {
  for (int rounds = 0;; ++rounds) {
    int status = 0;
    SF_TRY_ASSIGN(bool there, look(tid, status));
    if (there && !WIFSTOPPED(status)) return ended(tid);
    if (there && status >> 16 != 0) return status;
    if (there) {
      // The signal arrived before the request to stop: the thread takes it first and then stops.
      auto signal = reinterpret_cast<void*>(static_cast<std::uintptr_t>(WSTOPSIG(status)));
      (void)trace(PTRACE_CONT, tid, 0, signal);
      continue;
    }
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, thread_name(tid) + " does not stop");
    if (rounds > 3) std::this_thread::sleep_for(microseconds(rounds < 200 ? 5 : 100));
  }
}

// The engine's own code always reaches its trap. waitpid() hands the CPU over to the thread.
Result<int> wait_for_trap(pid_t tid) {
  int status = 0;
  while (::waitpid(tid, &status, __WALL) != tid) {
    if (errno != EINTR) return os::last_error("waiting for " + thread_name(tid));
  }
  if (!WIFSTOPPED(status)) return ended(tid);
  return status;
}

// As above, for the leader of other threads: its end is not reported while they live, so poll its
// state.
Result<int> look_for_trap(pid_t tid) {
  constexpr int kBusy = 50;    // rounds without a pause
  constexpr int kRarely = 64;  // rounds between reads of its state
  for (int rounds = 1;; ++rounds) {
    int status = 0;
    SF_TRY_ASSIGN(bool there, look(tid, status));
    if (there && !WIFSTOPPED(status)) return ended(tid);
    if (there) return status;
    if (rounds % kRarely == 0 && os::process_state(tid) == 'Z') return ended(tid);
    if (rounds < kBusy) std::this_thread::yield();
    if (rounds >= kBusy) std::this_thread::sleep_for(microseconds(5));
  }
}

// A killed thread stays a zombie until its tracer has reaped it.
void forget_dead(pid_t tid) {
  Deadline deadline = Deadline::after(seconds(1));
  for (int status = 0; !deadline.passed(); std::this_thread::sleep_for(microseconds(100)))
    if (::waitpid(tid, &status, __WALL | WNOHANG) != 0) return;
}

}  // namespace

Result<Tracee> Tracee::seize(pid_t tid) {
  if (trace(PTRACE_SEIZE, tid, 0, nullptr) != 0)
    return os::last_error("stopping " + thread_name(tid));
  Tracee tracee(tid);
  if (trace(PTRACE_INTERRUPT, tid, 0, nullptr) != 0)
    return os::last_error("stopping " + thread_name(tid));
  return tracee;
}

Tracee::Tracee(Tracee&& other) noexcept
    : tid_(std::exchange(other.tid_, 0)),
      stopped_(other.stopped_),
      stop_signal_(other.stop_signal_),
      leads_others_(other.leads_others_),
      disturbed_(other.disturbed_),
      registers_(other.registers_),
      blocked_(other.blocked_) {}

Tracee::~Tracee() {
  if (tid_ == 0) return;
  if (!stopped_) {
    // Only a stopped thread can be detached. A running one would stop later and stay stopped.
    if (!wait_stopped(Deadline::after(kReleaseTime))) return;
  }
  (void)resume();
}

Status Tracee::wait_stopped(Deadline deadline) {
  auto waited = wait_for_stop(tid_, deadline);
  if (!waited && waited.error().os_errno == ESRCH) tid_ = 0;  // there is nothing to detach
  SF_TRY_ASSIGN(int status, std::move(waited));
  stopped_ = true;
  if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
    stop_signal_ = WSTOPSIG(status);
  if (trace(PTRACE_GETREGS, tid_, 0, &registers_) != 0 ||
      trace(PTRACE_GETSIGMASK, tid_, kMaskSize, &blocked_) != 0)
    return os::last_error("reading registers of " + thread_name(tid_));
  return Ok{};
}

Status Tracee::die_with_tracer() {
  if (trace(PTRACE_SETOPTIONS, tid_, 0, reinterpret_cast<void*>(PTRACE_O_EXITKILL)) != 0)
    return os::last_error("holding " + thread_name(tid_));
  return Ok{};
}

Result<std::string> Tracee::extended_state() const {
  std::string state(kMaxExtended, '\0');
  iovec location{state.data(), state.size()};
  if (trace(PTRACE_GETREGSET, tid_, NT_X86_XSTATE, &location) != 0)
    return os::last_error("reading the extended registers of " + thread_name(tid_));
  state.resize(location.iov_len);
  return state;
}

Result<std::vector<SignalInfo>> Tracee::pending(Queue queue) const {
  constexpr int kAtOnce = 32;
  std::vector<SignalInfo> all;
  for (;;) {
    SignalInfo batch[kAtOnce];
    __ptrace_peeksiginfo_args wanted{};
    wanted.off = all.size();
    wanted.flags = queue == Queue::kProcess ? PTRACE_PEEKSIGINFO_SHARED : 0;
    wanted.nr = kAtOnce;
    long n = trace(PTRACE_PEEKSIGINFO, tid_, reinterpret_cast<std::uint64_t>(&wanted), batch);
    if (n < 0) return os::last_error("reading pending signals of " + thread_name(tid_));
    all.insert(all.end(), batch, batch + n);
    if (n < kAtOnce) return all;
  }
}

Result<RseqArea> Tracee::rseq() const {
  __ptrace_rseq_configuration found{};
  if (trace(PTRACE_GET_RSEQ_CONFIGURATION, tid_, sizeof found, &found) < 0)
    return os::last_error("reading the rseq area of " + thread_name(tid_));
  return RseqArea{found.rseq_abi_pointer, found.rseq_abi_size, found.signature};
}

Status Tracee::block_signals() {
  if (disturbed_) return Ok{};
  // A signal handler would run in between. SIGTRAP stays unblocked: a blocked trap makes the kernel
  // reset the process's handler.
  std::uint64_t all = ~(1ULL << (SIGTRAP - 1));
  if (trace(PTRACE_SETSIGMASK, tid_, kMaskSize, &all) != 0)
    return os::last_error("blocking signals of " + thread_name(tid_));
  disturbed_ = true;
  return Ok{};
}

Status Tracee::go_until_trap(int request) {
  int status = 0;
  Deadline deadline = Deadline::after(kTrapTime);
  do {
    if (trace(request, tid_, 0, nullptr) != 0)
      return os::last_error("running code in " + thread_name(tid_));
    stopped_ = false;
    SF_TRY_ASSIGN(status, leads_others_ ? look_for_trap(tid_) : wait_for_trap(tid_));
    stopped_ = true;
    // A stopped job reports its stop again before it runs.
  } while (status >> 16 == PTRACE_EVENT_STOP && !deadline.passed());
  if (WSTOPSIG(status) != SIGTRAP || status >> 16 != 0)
    return fail(ErrorCode::kOs,
                "code in " + thread_name(tid_) + " got signal " + std::to_string(WSTOPSIG(status)));
  return Ok{};
}

Result<long> Tracee::call(std::uint64_t syscall_instruction, long number,
                          const std::vector<std::uint64_t>& args) {
  SF_TRY(block_signals());
  user_regs_struct r = registers_;
  unsigned long long* locations[] = {&r.rdi, &r.rsi, &r.rdx, &r.r10, &r.r8, &r.r9};
  for (std::size_t i = 0; i < args.size(); ++i) *locations[i] = args[i];
  r.rip = syscall_instruction;
  r.rax = static_cast<unsigned long long>(number);
  r.orig_rax = ~0ULL;
  if (trace(PTRACE_SETREGS, tid_, 0, &r) != 0)
    return os::last_error("setting registers of " + thread_name(tid_));
  SF_TRY(go_until_trap(PTRACE_SINGLESTEP));
  if (trace(PTRACE_GETREGS, tid_, 0, &r) != 0)
    return os::last_error("reading registers of " + thread_name(tid_));
  return static_cast<long>(r.rax);
}

Status Tracee::run(std::uint64_t entry, std::uint64_t argument, std::uint64_t stack) {
  SF_TRY(block_signals());
  user_regs_struct r = registers_;
  r.rip = entry;
  r.rdi = argument;
  r.rsp = stack - 8;  // as after a call
  r.rbp = 0;
  r.orig_rax = ~0ULL;
  if (trace(PTRACE_SETREGS, tid_, 0, &r) != 0)
    return os::last_error("setting registers of " + thread_name(tid_));
  return go_until_trap(PTRACE_CONT);
}

Status Tracee::become(const user_regs_struct& registers, const std::string& extended,
                      std::uint64_t blocked) {
  registers_ = registers;
  blocked_ = blocked;
  disturbed_ = true;
  iovec location{const_cast<char*>(extended.data()), extended.size()};
  if (trace(PTRACE_SETREGSET, tid_, NT_X86_XSTATE, &location) != 0)
    return os::last_error("setting the extended registers of " + thread_name(tid_));
  return Ok{};
}

Status Tracee::give_back() {
  if (disturbed_ && (trace(PTRACE_SETREGS, tid_, 0, &registers_) != 0 ||
                     trace(PTRACE_SETSIGMASK, tid_, kMaskSize, &blocked_) != 0))
    return os::last_error("restoring " + thread_name(tid_) + "'s registers");
  disturbed_ = false;
  return Ok{};
}

Status Tracee::resume() {
  Status given = give_back();
  pid_t tid = std::exchange(tid_, 0);
  if (!given) {
    if (trace(PTRACE_DETACH, tid, 0, nullptr) != 0) forget_dead(tid);
    return given;
  }
  if (trace(PTRACE_DETACH, tid, 0, nullptr) == 0) return Ok{};
  auto error = os::last_error("detaching from " + thread_name(tid));
  forget_dead(tid);
  return error;
}

std::optional<std::uint64_t> syscall_in_vdso() {
  const auto* begin = reinterpret_cast<const unsigned char*>(::getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) return std::nullopt;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin);
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(begin + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_X) == 0) continue;
    for (std::uint64_t at = parts[i].p_offset; at + 1 < parts[i].p_offset + parts[i].p_filesz; ++at)
      if (begin[at] == 0x0f && begin[at + 1] == 0x05) return at;
  }
  return std::nullopt;
}

}  // namespace sf::waypoint::native
