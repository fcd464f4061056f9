// Timers of a process. The remaining time is compared in steps of 5,000 s and starts in the middle
// of a step.
#include <signal.h>  // NOLINT: sigevent is POSIX
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

constexpr long kStep = 5000;

long far_away(Chance& chance) { return kStep * (20 + chance.below(20)); }
long steps_left(long seconds) { return (seconds + kStep / 2) / kStep; }

class IntervalTimers : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    for (int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
      itimerval timer{};
      timer.it_value.tv_sec = chance.once_in(4) ? 0 : far_away(chance);
      timer.it_interval.tv_sec = chance.below(1000);
      timer.it_interval.tv_usec = chance.below(1000);
      must(::setitimer(static_cast<__itimer_which_t>(which), &timer, nullptr), "setitimer");
    }
  }
  void look(Report& report) override {
    for (int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
      itimerval timer{};
      must(::getitimer(static_cast<__itimer_which_t>(which), &timer), "getitimer");
      report.say("left", steps_left(timer.it_value.tv_sec));
      report.say("every", timer.it_interval.tv_sec).say("and", timer.it_interval.tv_usec / 100);
    }
  }
  void disturb() override {
    itimerval timer{};
    timer.it_value.tv_sec = 9'999'999;
    timer.it_interval.tv_sec = 12'345;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

class PosixTimers : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    for (int i = 1 + chance.below(5); i > 0; --i) {
      sigevent event{};
      event.sigev_notify = chance.of({SIGEV_SIGNAL, SIGEV_SIGNAL, SIGEV_NONE, SIGEV_THREAD_ID});
      event.sigev_signo = SIGRTMIN + 6;
      event.sigev_value.sival_int = chance.below(10'000);
      if (event.sigev_notify == SIGEV_THREAD_ID) event._sigev_un._tid = ::gettid();
      clockid_t clock = chance.of({CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
                                   CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID});
      int id = -1;
      must(::syscall(SYS_timer_create, clock, &event, &id), "timer_create");
      if (chance.once_in(4)) {  // leave gaps between the timer ids
        must(::syscall(SYS_timer_delete, id), "timer_delete");
        continue;
      }
      itimerspec when{};
      when.it_value.tv_sec = chance.once_in(4) ? 0 : far_away(chance);
      when.it_interval.tv_sec = chance.below(1000);
      must(::syscall(SYS_timer_settime, id, 0, &when, nullptr), "timer_settime");
      ids_.push_back(id);
    }
  }
  void look(Report& report) override {
    for (int id : ids_) {
      itimerspec left{};
      report.say("id", id).say_result("get", ::syscall(SYS_timer_gettime, id, &left));
      report.say("left", steps_left(left.it_value.tv_sec)).say("every", left.it_interval.tv_sec);
      report.say_result("overrun", ::syscall(SYS_timer_getoverrun, id));
    }
    report.say("timers", hex(hash_of(read_whole("/proc/self/timers"))));
  }
  void disturb() override {
    for (int id : ids_) ::syscall(SYS_timer_delete, id);
    sigevent event{};
    event.sigev_notify = SIGEV_NONE;
    int id = -1;
    ::syscall(SYS_timer_create, CLOCK_REALTIME, &event, &id);
  }

 private:
  std::vector<int> ids_;
};

}  // namespace

std::vector<Kind> timer_kinds() {
  return {{"interval-timers", create<IntervalTimers>, true},
          {"posix-timers", create<PosixTimers>, true}};
}

}  // namespace zoo
