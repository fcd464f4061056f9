// Descriptors for events: eventfd, timerfd, signalfd, epoll, inotify.
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>  // NOLINT: sigset functions are POSIX
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

Probe event_counter(const std::string&) {
  int fd = must(::eventfd(5, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  return [=](Answer& answer) {
    answer.say("count", fdinfo(fd, "eventfd-count"));
    eventfd_t value = 0;
    must(::eventfd_read(fd, &value), "eventfd_read");
    answer.say("read", static_cast<long>(value));
    answer.say("then", ::eventfd_read(fd, &value));
    must(::eventfd_write(fd, 5), "eventfd_write");
  };
}

// One expiration is unread; the next one is in an hour.
Probe timer_descriptor(const std::string&) {
  int fd = must(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
  itimerspec when{{3600, 0}, {0, 1}};
  must(::timerfd_settime(fd, 0, &when, nullptr), "timerfd_settime");
  if (!readable(fd)) die("timerfd never fired");
  int sleeping = must(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC), "timerfd_create");
  itimerspec later{{0, 0}, {7200, 0}};
  must(::timerfd_settime(sleeping, 0, &later, nullptr), "timerfd_settime");
  return [=](Answer& answer) {
    answer.say("unread ticks", fdinfo(fd, "ticks"));
    itimerspec now{};
    must(::timerfd_gettime(fd, &now), "timerfd_gettime");
    answer.say("interval", now.it_interval.tv_sec);
    answer.say("armed", now.it_value.tv_sec > 3000 && now.it_value.tv_sec <= 3600 ? 1 : 0);
    must(::timerfd_gettime(sleeping, &now), "timerfd_gettime");
    answer.say("one-shot armed", now.it_value.tv_sec > 6600 && now.it_value.tv_sec <= 7200 ? 1 : 0);
    answer.say("clock", fdinfo(sleeping, "clockid"));
  };
}

Probe signal_descriptor(const std::string&) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  must(::sigprocmask(SIG_BLOCK, &set, nullptr), "sigprocmask");
  int fd = must(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  must(::kill(::getpid(), SIGUSR2), "kill");
  return [=](Answer& answer) {
    signalfd_siginfo info{};
    if (::read(fd, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) die("read signalfd");
    answer.say("signal", info.ssi_signo);
    answer.say("sender", info.ssi_pid);
    answer.say("mask", fdinfo(fd, "sigmask"));
    must(::kill(::getpid(), SIGUSR2), "kill");
  };
}

Probe epoll_set(const std::string&) {
  int epoll = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  int ready = must(::eventfd(1, EFD_CLOEXEC), "eventfd");
  int idle = must(::eventfd(0, EFD_CLOEXEC), "eventfd");
  auto add = [epoll](int fd, unsigned events, std::uint64_t data) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    must(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  };
  add(ready, EPOLLIN, 0x1111);
  add(idle, EPOLLIN | EPOLLPRI, 0x2222);
  int nested = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  add(nested, EPOLLIN, 0x3333);
  return [=](Answer& answer) {
    epoll_event events[8];
    int count = must(::epoll_wait(epoll, events, 8, 0), "epoll_wait");
    for (int index = 0; index < count; ++index) {
      answer.say("ready", static_cast<long>(events[index].data.u64));
    }
    std::string info = read_whole_file("/proc/self/fdinfo/" + std::to_string(epoll));
    std::vector<std::string> watched;
    for (std::size_t at = info.find("tfd:"); at != std::string::npos;
         at = info.find("tfd:", at + 1)) {
      watched.push_back(info.substr(at, info.find(" pos:", at) - at));
    }
    std::sort(watched.begin(), watched.end());
    for (const std::string& line : watched) answer.say("watched", line);
  };
}

// Current events as "mask:name". Reads all of them, because CRIU does not keep unread events.
std::string inotify_events(int fd) {
  std::string text;
  std::string bytes = drain(fd);
  std::size_t at = 0;
  while (at + sizeof(inotify_event) <= bytes.size()) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof event);
    const char* name = event.len > 0 ? bytes.data() + at + sizeof event : "";
    text += std::to_string(event.wd) + ":" + std::to_string(event.mask) + ":" + name + " ";
    at += sizeof event + event.len;
  }
  return text;
}

Probe inotify_on_a_directory(const std::string& dir) {
  int fd = must(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK), "inotify_init1");
  must(::inotify_add_watch(fd, dir.c_str(), IN_CREATE | IN_DELETE), "inotify_add_watch");
  return [=](Answer& answer) {
    std::string path = dir + "/newcomer";
    write_whole_file(path, "x");
    must(::unlink(path.c_str()), "unlink");
    answer.say("events", inotify_events(fd));
  };
}

Probe inotify_on_files(const std::string& dir) {
  int fd = must(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK), "inotify_init1");
  std::string born = dir + "/watched";
  write_whole_file(born, "x");
  must(::inotify_add_watch(fd, born.c_str(), IN_ATTRIB | IN_MODIFY), "inotify_add_watch");
  must(::inotify_add_watch(fd, "/etc/debian_version", IN_OPEN), "inotify_add_watch");
  return [=](Answer& answer) {
    int file = must(::open(born.c_str(), O_WRONLY | O_CLOEXEC), "open");
    if (::write(file, "y", 1) != 1) die("write");
    ::close(file);
    ::close(must(::open("/etc/debian_version", O_RDONLY | O_CLOEXEC), "open"));
    answer.say("events", inotify_events(fd));
  };
}

// pidfds of a waiting child and of a zombie, both in an epoll set.
Probe process_descriptors(const std::string&) {
  pid_t waits = must(::fork(), "fork");
  if (waits == 0)
    for (;;) ::pause();
  pid_t ended = must(::fork(), "fork");
  if (ended == 0) ::_exit(3);
  siginfo_t info{};
  must(::waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT), "waitid");
  auto open = [](pid_t pid) {
    return must(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "pidfd_open");
  };
  int one = open(waits);
  int other = open(ended);
  int epoll = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  for (int fd : {one, other}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    must(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  }
  return [=](Answer& answer) {
    answer.say("pids", fdinfo(one, "Pid") + " " + fdinfo(other, "Pid"));
    answer.say("signal", ::syscall(SYS_pidfd_send_signal, one, 0, nullptr, 0));
    epoll_event events[4];
    int count = must(::epoll_wait(epoll, events, 4, 0), "epoll_wait");
    answer.say("ended", count == 1 && events[0].data.fd == other ? 1 : 0);
  };
}

int new_queue(const char* name, long most, long size) {
  mq_attr attributes{};
  attributes.mq_maxmsg = most;
  attributes.mq_msgsize = size;
  ::mq_unlink(name);
  return must(::mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0640, &attributes),
              "mq_open");
}

void post(int queue, std::string_view text, unsigned priority) {
  must(::mq_send(queue, text.data(), text.size(), priority), "mq_send");
}

// A full queue, and a queue that no process has open. The probe receives the messages and sends
// them again.
Probe posix_queues(const std::string&) {
  int full = new_queue("/sf-full", 4, 128);
  post(full, "usual", 1);
  post(full, "urgent", 9);
  post(full, "usual, too", 1);
  post(full, "", 0);
  int closed = new_queue("/sf-closed", 2, 16);
  post(closed, "kept", 3);
  ::close(closed);
  return [=](Answer& answer) {
    for (int queue : {full, must(::mq_open("/sf-closed", O_RDWR | O_NONBLOCK), "mq_open")}) {
      mq_attr attributes{};
      must(::mq_getattr(queue, &attributes), "mq_getattr");
      struct stat file {};
      must(::fstat(queue, &file), "fstat");
      answer.say("attributes", std::to_string(attributes.mq_maxmsg) + " " +
                                   std::to_string(attributes.mq_msgsize) + " " +
                                   std::to_string(attributes.mq_curmsgs) + " " +
                                   std::to_string(attributes.mq_flags) + " " +
                                   std::to_string(file.st_mode));
      std::vector<std::pair<unsigned, std::string>> messages;
      char buffer[128];
      unsigned priority = 0;
      for (ssize_t n = 0; (n = ::mq_receive(queue, buffer, sizeof buffer, &priority)) >= 0;)
        messages.emplace_back(priority, std::string(buffer, static_cast<std::size_t>(n)));
      for (const auto& [each, text] : messages) {
        answer.say("message", std::to_string(each) + " " + text);
        post(queue, text, each);
      }
      if (queue != full) ::close(queue);
    }
  };
}

// A queue with a registered notification (mq_notify).
Probe posix_queue_listener(const std::string&) {
  int queue = new_queue("/sf-listened", 4, 128);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGURG;
  must(::mq_notify(queue, &event), "mq_notify");
  return [=](Answer& answer) {
    char status[128] = {};
    if (::pread(queue, status, sizeof status - 1, 0) <= 0) die("pread");
    answer.say("status", status);
  };
}

}  // namespace

std::vector<Feature> notification_features() {
  return {{"posix-queues", posix_queues},
          {"posix-queue-listener", posix_queue_listener},
          {"eventfd", event_counter},
          {"timerfd", timer_descriptor},
          {"signalfd", signal_descriptor},
          {"epoll", epoll_set},
          {"inotify-directory", inotify_on_a_directory},
          {"inotify-files", inotify_on_files},
          {"process-descriptors", process_descriptors}};
}

}  // namespace stateful
