// Descriptors for events: counters, timers, signals, epoll sets, inotify, processes.
#include <fcntl.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

class Counter : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    int flags =
        EFD_NONBLOCK | chance.of<int>({0, EFD_SEMAPHORE}) | chance.of<int>({0, EFD_CLOEXEC});
    event_.reset(must(::eventfd(0, flags), "eventfd"));
    std::uint64_t value = chance.below(100U) + (chance.once_in(4) ? 1ULL << 40U : 0);
    if (chance.once_in(8)) value = ~0ULL - 1;  // full
    if (value != 0) must(::write(event_.get(), &value, sizeof value), "write");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", event_.get());
    report.say("info", line_of(fdinfo(event_.get()), "eventfd-count"));
    std::uint64_t value = 0;
    ssize_t n = ::read(event_.get(), &value, sizeof value);
    report.say_result("read", n).say("value", value);
    if (n > 0) must(::write(event_.get(), &value, sizeof value), "write");
  }
  void disturb() override {
    std::uint64_t value = 3;
    if (::read(event_.get(), &value, sizeof value) < 0 && errno != EAGAIN) die("read");
    event_.reset();
  }
  bool is_inherited() const override { return true; }

 private:
  Fd event_;
};

// Expires far in the future, or has expired.
class TimerFile : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    clock_ = chance.of({CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME});
    timer_.reset(must(::timerfd_create(clock_, TFD_NONBLOCK | chance.of<int>({0, TFD_CLOEXEC})),
                      "timerfd_create"));
    bool absolute = chance.flip();
    itimerspec when{};
    has_fired_ = chance.once_in(3);
    when.it_interval.tv_sec = chance.of({0, 5000, 90'000});
    when.it_value.tv_sec = has_fired_ ? 0 : 100'000 + 5000 * chance.below(20);
    when.it_value.tv_nsec = 1 + chance.below(1000);
    if (absolute) {
      timespec now{};
      ::clock_gettime(clock_, &now);
      when.it_value.tv_sec += now.tv_sec - (has_fired_ ? 1 : 0);
    }
    if (chance.once_in(6)) return;  // not armed
    int flags = absolute ? TFD_TIMER_ABSTIME : 0;
    must(::timerfd_settime(timer_.get(), flags, &when, nullptr), "timerfd_settime");
    if (has_fired_ && !readable(timer_.get())) die("a timer that does not fire");
    is_set_ = true;
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", timer_.get());
    std::string info = fdinfo(timer_.get());
    report.say("clock", line_of(info, "clockid")).say("ticks", line_of(info, "ticks"));
    itimerspec left{};
    report.say_result("get", ::timerfd_gettime(timer_.get(), &left));
    report.say("interval", left.it_interval.tv_sec);
    // The remaining time, rounded so that an hour more or less makes no difference.
    if (is_set_) report.say("left", (left.it_value.tv_sec + 1800) / 5000);
  }
  void disturb() override {
    itimerspec when{};
    when.it_value.tv_sec = 400'000;
    when.it_interval.tv_sec = 77;
    ::timerfd_settime(timer_.get(), 0, &when, nullptr);
  }
  bool is_inherited() const override { return true; }

 private:
  int clock_ = 0;
  Fd timer_;
  bool has_fired_ = false;
  bool is_set_ = false;
};

class SignalFile : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR2);
    for (int number : {SIGTERM, SIGINT, SIGWINCH, SIGRTMIN + 5})
      if (chance.flip()) sigaddset(&wanted, number);
    signals_.reset(
        must(::signalfd(-1, &wanted, SFD_NONBLOCK | chance.of<int>({0, SFD_CLOEXEC})), "signalfd"));
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", signals_.get());
    report.say("mask", line_of(fdinfo(signals_.get()), "sigmask"));
  }
  void disturb() override {
    sigset_t other;
    sigemptyset(&other);
    sigaddset(&other, SIGHUP);
    ::signalfd(signals_.get(), &other, 0);
  }
  bool is_inherited() const override { return true; }

 private:
  Fd signals_;
};

// Watches counters, some of them ready, and perhaps another set.
class EventSet : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    set_.reset(must(::epoll_create1(chance.of<int>({0, EPOLL_CLOEXEC})), "epoll_create1"));
    if (chance.once_in(3)) inner_.reset(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
    for (int i = 1 + chance.below(6); i > 0; --i) {
      watched_.emplace_back(
          must(::eventfd(chance.of({0U, 5U}), EFD_NONBLOCK | chance.of<int>({0, EFD_CLOEXEC})),
               "eventfd"));
      epoll_event event{};
      event.events = EPOLLIN | chance.of({0U, unsigned{EPOLLONESHOT}, unsigned{EPOLLRDHUP},
                                          unsigned{EPOLLPRI}, unsigned{EPOLLEXCLUSIVE}});
      if ((event.events & EPOLLEXCLUSIVE) != 0) event.events = EPOLLIN | EPOLLEXCLUSIVE;
      event.data.u64 = (static_cast<std::uint64_t>(i) << 40U) + chance.below(1000U);
      int into = inner_.open() && chance.flip() ? inner_.get() : set_.get();
      must(::epoll_ctl(into, EPOLL_CTL_ADD, watched_.back().get(), &event), "EPOLL_CTL_ADD");
    }
    if (chance.once_in(3)) {  // the same file under two numbers
      watched_.emplace_back(must(::dup(watched_.front().get()), "dup"));
      epoll_event event{EPOLLIN, {.u64 = 4242}};
      must(::epoll_ctl(set_.get(), EPOLL_CTL_ADD, watched_.back().get(), &event), "of a dup");
    }
    if (inner_.open()) {
      epoll_event event{EPOLLIN, {.u64 = 777}};
      must(::epoll_ctl(set_.get(), EPOLL_CTL_ADD, inner_.get(), &event), "nested");
    }
    if (chance.flip()) ready(set_.get());  // triggers EPOLLONESHOT entries
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", set_.get());
    report.say("watches", watches(set_.get()));
    if (inner_.open()) report.say("inside", watches(inner_.get()));
    for (const Fd& fd : watched_) say_descriptor(report, "watched", fd.get());
    // epoll_wait() would trigger EPOLLONESHOT entries, so only sets without such entries are
    // polled.
    if (report.text().find("fires-once") == std::string::npos)
      report.say("ready", ready(set_.get()));
  }
  void disturb() override {
    std::uint64_t one = 1;
    for (const Fd& fd : watched_)
      if (::write(fd.get(), &one, sizeof one) < 0) die("write");
    ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, watched_.back().get(), nullptr);
    if (inner_.open()) ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, inner_.get(), nullptr);
    epoll_event event{EPOLLOUT, {.u64 = 1}};
    ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, watched_.front().get(), &event);
    ::epoll_ctl(set_.get(), EPOLL_CTL_MOD, watched_.front().get(), &event);
    ::fcntl(set_.get(), F_SETFD, 1 - ::fcntl(set_.get(), F_GETFD));
  }

 private:
  static std::string watches(int set) {
    std::vector<std::string> all;
    std::istringstream lines(fdinfo(set));
    for (std::string line; std::getline(lines, line);) {
      int number = 0;
      unsigned events = 0;
      unsigned long long data = 0;
      if (std::sscanf(line.c_str(), "tfd: %d events: %x data: %llx", &number, &events, &data) != 3)
        continue;
      // A triggered one-shot entry can be restored only together with EPOLLERR and EPOLLHUP, so
      // both are ignored.
      bool fires_once = (events & EPOLLONESHOT) != 0;
      if (fires_once) events &= ~static_cast<unsigned>(EPOLLERR | EPOLLHUP);
      all.push_back(std::to_string(number) + ":" + hex(events) + ":" + hex(data) +
                    (fires_once ? ":fires-once" : ""));
    }
    std::ranges::sort(all);
    std::string text;
    for (const std::string& one : all) text += one + ",";
    return text;
  }
  static std::string ready(int set) {
    epoll_event events[16];
    int n = ::epoll_wait(set, events, 16, 0);
    std::vector<std::uint64_t> all;
    for (int i = 0; i < n; ++i) all.push_back(events[i].data.u64);
    std::ranges::sort(all);
    std::string text;
    for (std::uint64_t one : all) text += std::to_string(one) + ",";
    return text;
  }
  Fd set_;
  Fd inner_;
  std::vector<Fd> watched_;
};

class FileWatch : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    path_ = path;
    must(::mkdir(path.c_str(), 0777), path);
    write_whole(path + "/seen", "x");
    watch_.reset(
        must(::inotify_init1(IN_NONBLOCK | chance.of<int>({0, IN_CLOEXEC})), "inotify_init1"));
    for (int i = chance.below(4); i > 0; --i) {  // leave gaps between the descriptor numbers
      int gone = must(::inotify_add_watch(watch_.get(), "/etc", IN_CREATE), "inotify_add_watch");
      must(::inotify_rm_watch(watch_.get(), gone), "inotify_rm_watch");
      char block[256];
      if (::read(watch_.get(), block, sizeof block) < 0) die("the end of a watch");
    }
    on_directory_ = must(::inotify_add_watch(watch_.get(), path.c_str(), IN_CREATE | IN_DELETE),
                         "inotify_add_watch");
    if (chance.flip())
      must(::inotify_add_watch(watch_.get(), (path + "/seen").c_str(),
                               IN_MODIFY | chance.of({0U, unsigned{IN_ATTRIB}})),
           "inotify_add_watch");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", watch_.get());
    report.say("before", events());
    std::string name = path_ + "/new";
    Fd made(::open(name.c_str(), O_WRONLY | O_CREAT, 0600));
    report.say("made", made.open() ? 1 : 0);
    ::unlink(name.c_str());
    report.say("seen", events());
  }
  void disturb() override { ::inotify_rm_watch(watch_.get(), on_directory_); }

 private:
  std::string events() {
    alignas(8) char block[4096];
    ssize_t n = ::read(watch_.get(), block, sizeof block);
    if (n < 0) return ::strerrorname_np(errno);
    std::string text;
    for (ssize_t at = 0; at < n;) {
      auto* event = reinterpret_cast<inotify_event*>(block + at);
      text += std::to_string(event->wd) + ":" + hex(event->mask) + ",";
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return text;
  }
  std::string path_;
  Fd watch_;
  int on_directory_ = -1;
};

class ProcessFile : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    pid_t whom = chance.of({::getpid(), ::getppid(), 1});
    process_.reset(
        must(static_cast<int>(::syscall(SYS_pidfd_open, whom, chance.of({0, O_NONBLOCK}))),
             "pidfd_open"));
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", process_.get());
    report.say("whom", line_of(fdinfo(process_.get()), "Pid"));
    report.say_result("alive", ::syscall(SYS_pidfd_send_signal, process_.get(), 0, nullptr, 0));
  }
  void disturb() override {
    Fd other(static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0)));
    ::dup3(other.get(), process_.get(), O_CLOEXEC);
    ::fcntl(process_.get(), F_SETFD, 0);
  }
  bool is_inherited() const override { return true; }

 private:
  Fd process_;
};

}  // namespace

std::vector<Kind> event_kinds() {
  return {{"counter", create<Counter>},        {"timer-file", create<TimerFile>},
          {"signal-file", create<SignalFile>}, {"event-set", create<EventSet>},
          {"file-watch", create<FileWatch>},   {"process-file", create<ProcessFile>}};
}

}  // namespace zoo
