#include "waits.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "looking.h"

namespace zoo {
namespace {

constexpr timespec kLong{200'000, 0};

std::string said(std::string_view call, long result) {
  int error = errno;
  return std::string(call) + (result >= 0 ? std::to_string(result) : ::strerrorname_np(error));
}

// Waits on an eventfd until another thread adds to it.
class CounterWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override {
    counter_.reset(must(::eventfd(0, EFD_CLOEXEC), "eventfd"));
    how_ = chance.below(6);
    if (how_ != 4) return;
    set_.reset(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
    epoll_event event{EPOLLIN, {.u64 = 9}};
    must(::epoll_ctl(set_.get(), EPOLL_CTL_ADD, counter_.get(), &event), "EPOLL_CTL_ADD");
  }
  std::string wait() override {
    std::string text = first();
    std::uint64_t got = 0;
    long n = ::read(counter_.get(), &got, sizeof got);
    return text + said(" read", n) + ":" + std::to_string(got);
  }
  void wake(pid_t) override {
    std::uint64_t one = 1;
    must(::write(counter_.get(), &one, sizeof one), "write");
  }

 private:
  std::string first() {
    pollfd wanted{counter_.get(), POLLIN, 0};
    fd_set set;
    FD_ZERO(&set);
    sigset_t all;
    sigfillset(&all);
    epoll_event event{};
    long n = 0;
    switch (how_) {
      case 0:
        return said("poll", ::poll(&wanted, 1, -1));
      case 1:
        return said("ppoll", ::ppoll(&wanted, 1, &kLong, nullptr));
      case 2:
        return said("ppoll", ::ppoll(&wanted, 1, nullptr, &all));  // with another signal mask
      case 3:
        FD_SET(counter_.get(), &set);
        // The kernel returns EINTR if the process was stopped.
        do {
          n = ::pselect(counter_.get() + 1, &set, nullptr, nullptr, nullptr, nullptr);
        } while (n < 0 && errno == EINTR);
        return said("pselect", n);
      case 4:
        do {
          n = ::epoll_wait(set_.get(), &event, 1, -1);
        } while (n < 0 && errno == EINTR);
        return said("epoll", n);
      default:
        return "";
    }
  }
  Fd counter_;
  Fd set_;
  int how_ = 0;
};

class FutexWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override { how_ = chance.below(3); }
  std::string wait() override {
    int seen = seen_;
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += kLong.tv_sec;
    long n = 0;
    do {
      if (how_ == 2) {
        n = ::syscall(SYS_futex, &word_, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, nullptr,
                      FUTEX_BITSET_MATCH_ANY);
      } else {
        n = ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, how_ == 0 ? nullptr : &kLong,
                      nullptr, 0);
      }
      // A wake may arrive late, for a change that this thread saw before it waited.
    } while ((n == 0 || errno == EINTR) && word_ == seen);
    bool is_woken = n == 0 || errno == EAGAIN;
    seen_ = word_;
    return is_woken ? "futex" : said("futex", n);
  }
  void wake(pid_t) override {
    ++word_;
    ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  std::atomic<int> word_ = 0;
  int seen_ = 0;  // used by the waiting thread only
  int how_ = 0;
};

class SleepWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override { how_ = chance.below(3); }
  std::string wait() override {
    timespec rest = kLong;
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += kLong.tv_sec;
    switch (how_) {
      case 0:
        return said("sleep", ::nanosleep(&kLong, nullptr));
      case 1:
        while (::nanosleep(&rest, &rest) != 0 && errno == EINTR) {
        }
        return "slept";
      default:
        return said("until", -::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr));
    }
  }
  void wake(pid_t) override {}
  bool is_sleep() const override { return true; }

 private:
  int how_ = 0;
};

thread_local volatile sig_atomic_t came = 0;
void note_it(int) { came = 1; }

class SignalWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override {
    how_ = chance.below(3);
    struct sigaction action {};
    action.sa_handler = note_it;
    must(::sigaction(SIGRTMIN + 7, &action, nullptr), "sigaction");
  }
  std::string wait() override {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGRTMIN + 7);
    if (how_ == 0) {  // the signal is unblocked during this call only
      sigset_t others;
      sigfillset(&others);
      sigdelset(&others, SIGRTMIN + 7);
      came = 0;
      int n = 0;
      // glibc's internal signal for setuid() in threads may interrupt the call.
      do {
        n = ::sigsuspend(&others);
      } while (came == 0);
      return said("suspend", n);
    }
    siginfo_t info{};
    int number = 0;
    do {
      number = how_ == 1 ? ::sigwaitinfo(&wanted, &info) : ::sigtimedwait(&wanted, &info, &kLong);
    } while (number < 0 && errno == EINTR);
    return said("signal", number);
  }
  void wake(pid_t thread) override {
    must(::syscall(SYS_tgkill, ::getpid(), thread, SIGRTMIN + 7), "tgkill");
  }

 private:
  int how_ = 0;
};

// Waits for a lock of another open file description, which is released only for a moment.
class LockWait : public Wait {
 public:
  void make(Chance& chance, const std::string& path) override {
    is_range_ = chance.flip();
    write_whole(path, "x");
    mine_.reset(must(::open(path.c_str(), O_RDWR | O_CLOEXEC), path));
    others_.reset(must(::open(path.c_str(), O_RDWR | O_CLOEXEC), path));
    set(others_.get(), F_WRLCK);
  }
  std::string wait() override {
    long n = set(mine_.get(), F_WRLCK);
    std::string text = said("lock", n);
    set(mine_.get(), F_UNLCK);
    had_it_ = true;
    // Wait until the other description has the lock again; no other process uses it.
    while (!is_taken_) ::usleep(500);
    is_taken_ = false;
    return text;
  }
  void wake(pid_t) override {
    set(others_.get(), F_UNLCK);
    for (int i = 0; i < 10'000 && !had_it_; ++i) ::usleep(1000);
    had_it_ = false;
    set(others_.get(), F_WRLCK);
    is_taken_ = true;
  }

 private:
  long set(int fd, short type) const {
    if (!is_range_) return ::flock(fd, type == F_UNLCK ? LOCK_UN : LOCK_EX);
    struct flock range {};
    range.l_type = type;
    range.l_len = 1;
    return ::fcntl(fd, F_OFD_SETLKW, &range);
  }
  Fd mine_;
  Fd others_;
  bool is_range_ = false;
  std::atomic<bool> had_it_ = false;
  std::atomic<bool> is_taken_ = false;
};

class SocketWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override {
    int type = chance.of({int{SOCK_STREAM}, int{SOCK_DGRAM}, int{SOCK_SEQPACKET}});
    int ends[2];
    must(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), "socketpair");
    mine_.reset(ends[0]);
    others_.reset(ends[1]);
  }
  std::string wait() override {
    char got[8];
    long n = 0;
    do {  // with SO_RCVTIMEO the kernel returns EINTR if the process was stopped
      n = ::recv(mine_.get(), got, sizeof got, 0);
    } while (n < 0 && errno == EINTR);
    return said("receive", n);
  }
  void wake(pid_t) override { must(::send(others_.get(), "abc", 3, 0), "send"); }

 private:
  Fd mine_;
  Fd others_;
};

class AcceptWait : public Wait {
 public:
  void make(Chance&, const std::string& path) override {
    name_.sun_family = AF_UNIX;
    std::memcpy(name_.sun_path + 1, path.data(), path.size());
    listener_.reset(must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    must(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name_), sizeof name_), "bind");
    must(::listen(listener_.get(), 3), "listen");
  }
  std::string wait() override {
    int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    std::string text = fd < 0 ? said("accept", fd) : "accepted";
    ::close(fd);
    return text;
  }
  void wake(pid_t) override {
    Fd client(must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    must(::connect(client.get(), reinterpret_cast<sockaddr*>(&name_), sizeof name_), "connect");
  }

 private:
  sockaddr_un name_{};
  Fd listener_;
};

// The kernel returns EINTR from these calls if the process was stopped.
class SysvWait : public Wait {
 public:
  void make(Chance& chance, const std::string&) override {
    is_queue_ = chance.flip();
    // Mode 0666, because the process may change its user later.
    id_ = is_queue_ ? must(::msgget(IPC_PRIVATE, IPC_CREAT | 0666), "msgget")
                    : must(::semget(IPC_PRIVATE, 1, IPC_CREAT | 0666), "semget");
  }
  std::string wait() override {
    long n = 0;
    do {
      n = is_queue_ ? receive() : take();
    } while (n < 0 && errno == EINTR);
    return said("sysv", n);
  }
  void wake(pid_t) override {
    if (is_queue_) {
      Message message{3, "wake"};
      must(::msgsnd(id_, &message, 4, 0), "msgsnd");
    } else {
      sembuf step{0, 1, 0};
      must(::semop(id_, &step, 1), "semop");
    }
  }

 private:
  struct Message {
    long type;
    char text[8];
  };
  long receive() const {
    Message message{};
    return ::msgrcv(id_, &message, sizeof message.text, 3, 0);
  }
  long take() const {
    sembuf step{0, -1, 0};
    return ::semop(id_, &step, 1);
  }
  bool is_queue_ = false;
  int id_ = -1;
};

}  // namespace

std::unique_ptr<Wait> choose_wait(Chance& chance) {
  switch (chance.below(11)) {
    case 0:
      return std::make_unique<FutexWait>();
    case 1:
      return std::make_unique<SleepWait>();
    case 2:
    case 3:
      return std::make_unique<SignalWait>();
    case 4:
      return std::make_unique<LockWait>();
    case 5:
      return std::make_unique<SocketWait>();
    case 6:
      return std::make_unique<AcceptWait>();
    case 7:
      return std::make_unique<SysvWait>();
    default:
      return std::make_unique<CounterWait>();
  }
}

}  // namespace zoo
