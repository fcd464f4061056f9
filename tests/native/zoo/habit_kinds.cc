// Less common settings of a process, made with prctl() and similar calls.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

constexpr std::uint64_t kResetOnFork = 1;  // SCHED_FLAG_RESET_ON_FORK

struct Schedule {  // struct sched_attr; <linux/sched/types.h> conflicts with the C library's
                   // headers
  std::uint32_t size = sizeof(Schedule);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice = 0;  // sched_runtime
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

class Habits : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    if (chance.flip()) ::prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0);
    if (chance.flip()) ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    // After the children exist: the engine cannot capture orphans of another session than their
    // own.
    if (chance.flip()) must(::prctl(PR_SET_CHILD_SUBREAPER, 1), "PR_SET_CHILD_SUBREAPER");
    if (chance.flip()) set_schedule(kResetOnFork, 0);
    if (chance.flip()) set_schedule(0, 1'000'000 + 1000 * chance.below(1000U));
    if (chance.flip())
      ::prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, PR_SPEC_DISABLE, 0, 0);
  }
  void look(Report& report) override {
    report.say_result("mce", ::prctl(PR_MCE_KILL_GET, 0, 0, 0, 0));
    int value = 0;
    ::prctl(PR_GET_TSC, &value);
    report.say("tsc", value);
    ::prctl(PR_GET_CHILD_SUBREAPER, &value);
    report.say("subreaper", value);
    Schedule attributes;
    ::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0);
    report.say("policy", attributes.policy).say("flags", attributes.flags);
    report.say("slice", attributes.slice);
    report.say_result("speculation",
                      ::prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0, 0, 0));
  }
  void disturb() override {
    ::prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_LATE, 0, 0);
    set_schedule(0, 77'000'000);
  }

 private:
  static void set_schedule(std::uint64_t flags, std::uint64_t slice) {
    Schedule attributes;
    ::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0);
    attributes.flags = flags;
    attributes.slice = slice;
    ::syscall(SYS_sched_setattr, 0, &attributes, 0);
  }
};

}  // namespace

std::vector<Kind> habit_kinds() { return {{"habits", create<Habits>, true, true}}; }

}  // namespace zoo
