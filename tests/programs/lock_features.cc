// File locks: held by this process, refused to other processes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

// Runs `attempt` in a child, which owns none of our locks, and reports its errno.
template <typename Attempt>
std::string as_a_stranger(Attempt attempt) {
  pid_t child = must(::fork(), "fork");
  if (child == 0) ::_exit(attempt() == 0 ? 0 : errno);
  int status = 0;
  must(::waitpid(child, &status, 0), "waitpid");
  return WEXITSTATUS(status) == 0 ? "taken" : strerrorname_np(WEXITSTATUS(status));
}

int open_lock_file(const std::string& path) {
  return must(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666), "open");
}

struct flock range(short type, off_t start, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

Probe whole_file_lock(const std::string& dir) {
  std::string path = dir + "/flock";
  int fd = open_lock_file(path);
  must(::flock(fd, LOCK_EX), "flock");
  std::string shared_path = dir + "/flock-shared";
  int shared = open_lock_file(shared_path);
  must(::flock(shared, LOCK_SH), "flock");
  return [=](Answer& answer) {
    auto attempt = [](const std::string& file, int kind) {
      return as_a_stranger([&] { return ::flock(open_lock_file(file), kind | LOCK_NB); });
    };
    answer.say("exclusive, wanted shared", attempt(path, LOCK_SH));
    answer.say("shared, wanted shared", attempt(shared_path, LOCK_SH));
    answer.say("shared, wanted exclusive", attempt(shared_path, LOCK_EX));
    answer.say("ours", ::flock(fd, LOCK_EX | LOCK_NB));
  };
}

Probe record_lock(const std::string& dir) {
  std::string path = dir + "/posix";
  int fd = open_lock_file(path);
  struct flock head = range(F_WRLCK, 0, 10);
  struct flock tail = range(F_RDLCK, 100, 0);
  must(::fcntl(fd, F_SETLK, &head), "F_SETLK");
  must(::fcntl(fd, F_SETLK, &tail), "F_SETLK");
  return [=](Answer& answer) {
    auto attempt = [&](short type, off_t start) {
      return as_a_stranger([&] {
        struct flock wanted = range(type, start, 1);
        return ::fcntl(open_lock_file(path), F_SETLK, &wanted);
      });
    };
    answer.say("written range", attempt(F_RDLCK, 5));
    answer.say("free range", attempt(F_WRLCK, 50));
    answer.say("read range, reading", attempt(F_RDLCK, 1000));
    answer.say("read range, writing", attempt(F_WRLCK, 1000));
    // The lock's holder, as another process sees it.
    pid_t holder = ::getpid();
    answer.say("names its holder", as_a_stranger([&] {
                 struct flock wanted = range(F_WRLCK, 0, 1);
                 if (::fcntl(open_lock_file(path), F_GETLK, &wanted) != 0) return -1;
                 errno = ESRCH;
                 return wanted.l_pid == holder ? 0 : -1;
               }));
  };
}

Probe open_file_lock(const std::string& dir) {
  std::string path = dir + "/ofd";
  int fd = open_lock_file(path);
  struct flock lock = range(F_WRLCK, 0, 0);
  must(::fcntl(fd, F_OFD_SETLK, &lock), "F_OFD_SETLK");
  return [=](Answer& answer) {
    answer.say("stranger", as_a_stranger([&] {
                 struct flock wanted = range(F_WRLCK, 0, 0);
                 return ::fcntl(open_lock_file(path), F_OFD_SETLK, &wanted);
               }));
    answer.say("inherited descriptor", as_a_stranger([&] {
                 struct flock wanted = range(F_WRLCK, 0, 0);
                 return ::fcntl(fd, F_OFD_SETLK, &wanted);
               }));
  };
}

}  // namespace

std::vector<Feature> lock_features() {
  return {{"flock", whole_file_lock}, {"posix-lock", record_lock}, {"ofd-lock", open_file_lock}};
}

}  // namespace stateful
