#include "engine/native/process/posix_timers.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/split.h"

namespace sf::waypoint::native {
namespace {

constexpr int kRestoreIds = 77;  // PR_TIMER_CREATE_RESTORE_IDS
constexpr unsigned kOn = 1;
constexpr unsigned kAsk = 2;
constexpr int kToThread = 4;  // SIGEV_THREAD_ID
constexpr std::size_t kTimesSize = 4 * sizeof(std::uint64_t);

bool read_notify(const std::string& line, PosixTimer& timer) {
  char how[16] = {};
  char whom[8] = {};
  if (std::sscanf(line.c_str(), "notify: %15[a-z]/%7[a-z].%d", how, whom, &timer.thread) != 3)
    return false;
  bool to_thread = std::strcmp(whom, "tid") == 0;
  if (std::strcmp(how, "signal") == 0) timer.notify = to_thread ? kToThread : SIGEV_SIGNAL;
  if (std::strcmp(how, "none") == 0) timer.notify = SIGEV_NONE;
  return std::strcmp(how, "signal") == 0 || (std::strcmp(how, "none") == 0 && !to_thread);
}

}  // namespace

std::optional<std::vector<PosixTimer>> parse_timers(std::string_view text) {
  std::vector<PosixTimer> timers;
  for (const std::string& line : split(text, '\n')) {
    int id = 0;
    if (std::sscanf(line.c_str(), "ID: %d", &id) == 1) {
      timers.emplace_back().id = id;
      continue;
    }
    if (timers.empty()) return std::nullopt;
    PosixTimer& timer = timers.back();
    unsigned long long value = 0;
    bool known = std::sscanf(line.c_str(), "ClockID: %d", &timer.clock) == 1;
    if (std::sscanf(line.c_str(), "signal: %d/%llx", &timer.signal, &value) == 2) {
      timer.value = value;
      known = true;
    }
    if (!known && !read_notify(line, timer)) return std::nullopt;
  }
  return timers;
}

bool can_choose_timer_ids() { return ::prctl(kRestoreIds, kAsk, 0, 0, 0) >= 0; }

std::uint64_t ask_timers(ProgramWriter& program, const std::vector<PosixTimer>& timers) {
  std::uint64_t location = program.arena().reserve(kTimesSize * timers.size());
  for (std::size_t i = 0; i < timers.size(); ++i)
    program.call(SYS_timer_gettime, {timers[i].id, location + kTimesSize * i});
  return location;
}

void take_timers(Arena& arena, std::uint64_t asked, std::vector<PosixTimer>& timers) {
  for (std::size_t i = 0; i < timers.size(); ++i)
    std::memcpy(timers[i].times.data(), arena.local(asked + kTimesSize * i), kTimesSize);
}

void bring_back_posix_timers(ProgramWriter& program, const ProcessImage& process) {
  if (process.posix_timers.empty()) return;
  Arena& arena = program.arena();
  program.about("POSIX timers");
  program.call(SYS_prctl, {kRestoreIds, kOn, 0, 0, 0});
  // The kernel lists the newest timer first.
  for (auto made = process.posix_timers.rbegin(); made != process.posix_timers.rend(); ++made) {
    const PosixTimer& timer = *made;
    sigevent event{};
    event.sigev_notify = timer.notify;
    event.sigev_signo = timer.signal;
    event.sigev_value.sival_ptr = reinterpret_cast<void*>(timer.value);
    if (timer.notify == kToThread) event._sigev_un._tid = timer.thread;
    program.call(SYS_timer_create,
                 {timer.clock, arena.put_value(event), arena.put_value(timer.id)});
  }
  program.call(SYS_prctl, {kRestoreIds, 0, 0, 0, 0});
  for (const PosixTimer& timer : process.posix_timers) {
    if (timer.times[2] == 0 && timer.times[3] == 0) continue;
    program.call(SYS_timer_settime, {timer.id, 0, arena.put_value(timer.times), 0});
  }
}

}  // namespace sf::waypoint::native
