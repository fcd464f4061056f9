#include "declined.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

void packets(const std::string&) {
  int ends[2];
  must(::pipe2(ends, O_DIRECT), "pipe2");
}

void lease(const std::string& path) {
  write_whole(path, "x");
  int fd = must(::open(path.c_str(), O_RDONLY), path);
  must(::fcntl(fd, F_SETLEASE, F_RDLCK), "F_SETLEASE");
}

void descriptor_under_way(const std::string&) {
  int ends[2];
  must(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  char byte = 'x';
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
  must(::sendmsg(ends[0], &message, 0), "sendmsg");
}

void ring(const std::string&) {
  io_uring_params wanted{};
  must(::syscall(SYS_io_uring_setup, 4, &wanted), "io_uring_setup");
}

void traced(const std::string&) {
  pid_t child = must(::fork(), "fork");
  while (child == 0) ::pause();
  must(::ptrace(PTRACE_SEIZE, child, nullptr, nullptr), "PTRACE_SEIZE");
}

void unread_events(const std::string& path) {
  int fd = must(::inotify_init1(0), "inotify_init1");
  write_whole(path, "x");
  must(::inotify_add_watch(fd, path.c_str(), IN_MODIFY), "inotify_add_watch");
  write_whole(path, "y");
}

void batch(const std::string&) {
  sched_param none{};
  must(::sched_setscheduler(0, SCHED_BATCH, &none), "sched_setscheduler");
}

void not_accepted(const std::string&) {
  int listener = must(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  must(::listen(listener, 5), "listen");
  sockaddr_in name{};
  socklen_t size = sizeof name;
  must(::getsockname(listener, reinterpret_cast<sockaddr*>(&name), &size), "getsockname");
  int client = must(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  must(::connect(client, reinterpret_cast<sockaddr*>(&name), size), "connect");
  if (!readable(listener)) die("nobody comes");
  if (::send(client, "x", 1, MSG_NOSIGNAL) != 1) die("nothing is sent");
}

void of_a_process(const std::string&) { must(::open("/proc/self/status", O_RDONLY), "status"); }

void watched_and_closed(const std::string&) {
  int set = must(::epoll_create1(0), "epoll_create1");
  int event = must(::eventfd(0, 0), "eventfd");
  epoll_event wanted{EPOLLIN, {}};
  must(::epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted), "EPOLL_CTL_ADD");
  must(::dup(event), "dup");
  ::close(event);
}

}  // namespace

std::vector<Declined> declined_kinds() {
  return {{"packets", packets, "it is in packet mode"},
          {"lease", lease, "it holds a lock of an unknown type"},
          {"descriptor-under-way", descriptor_under_way, "descriptors"},
          {"ring", ring, "does not support this kind of descriptor"},
          {"traced", traced, "under strace, gdb or ptrace"},
          {"unread-events", unread_events, "events"},
          {"batch", batch, "scheduling policy 3"},
          {"not-accepted", not_accepted, "unaccepted connections"},
          {"of-a-process", of_a_process, "it is a /proc file of a process"},
          {"watched-and-closed", watched_and_closed, "it watches a file that it has closed"}};
}

}  // namespace zoo
