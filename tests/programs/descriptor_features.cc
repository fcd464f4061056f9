// Descriptors of files and pipes: offsets, flags, unread data, files without a name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

Probe pipe_with_unread_data(const std::string&) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe");
  must(::fcntl(ends[1], F_SETPIPE_SZ, 131072), "F_SETPIPE_SZ");
  std::string data = pattern(100'000, 11);
  if (::write(ends[1], data.data(), data.size()) != static_cast<ssize_t>(data.size())) die("write");
  return [=](Answer& answer) {
    std::string unread = drain(ends[0]);
    answer.say("bytes", static_cast<long>(unread.size()));
    answer.say("hash", hash_of(unread));
    answer.say("capacity", ::fcntl(ends[0], F_GETPIPE_SZ));
    if (::write(ends[1], unread.data(), unread.size()) < 0) die("write back");
  };
}

// The write end is closed, so read() must return end of file.
Probe pipe_without_writer(const std::string&) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC), "pipe");
  ::close(ends[1]);
  return [=](Answer& answer) {
    char byte = 0;
    answer.say("read", ::read(ends[0], &byte, 1));
  };
}

Probe named_pipe(const std::string& dir) {
  std::string path = dir + "/named";
  must(::mkfifo(path.c_str(), 0600), "mkfifo");
  int fd = must(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC), "open");
  if (::write(fd, "in the fifo", 11) != 11) die("write");
  return [=](Answer& answer) {
    std::string unread = drain(fd);
    answer.say("unread", unread);
    if (::write(fd, unread.data(), unread.size()) < 0) die("write back");
  };
}

Probe unlinked_file(const std::string& dir) {
  std::string path = dir + "/unlinked";
  write_whole_file(path, pattern(3U << 20U, 12));
  int fd = must(::open(path.c_str(), O_RDWR | O_CLOEXEC), "open");
  must(static_cast<int>(::lseek(fd, 12345, SEEK_SET)), "lseek");
  must(::unlink(path.c_str()), "unlink");
  return [=](Answer& answer) {
    struct stat info {};
    must(::fstat(fd, &info), "fstat");
    std::string data(static_cast<std::size_t>(info.st_size), '\0');
    if (::pread(fd, data.data(), data.size(), 0) < 0) die("pread");
    answer.say("hash", hash_of(data));
    answer.say("links", static_cast<long>(info.st_nlink));
    answer.say("offset", ::lseek(fd, 0, SEEK_CUR));
  };
}

// One of two names is removed: the descriptor must refer to the file that has the other name.
Probe file_open_by_a_removed_name(const std::string& dir) {
  std::string first = dir + "/first";
  std::string second = dir + "/second";
  write_whole_file(first, "two names");
  must(::link(first.c_str(), second.c_str()), "link");
  int fd = must(::open(first.c_str(), O_RDWR | O_CLOEXEC), "open");
  must(::unlink(first.c_str()), "unlink");
  return [=](Answer& answer) {
    if (::pwrite(fd, "TWO", 3, 0) != 3) die("pwrite");
    answer.say("through the other name", read_whole_file(second));
    if (::pwrite(fd, "two", 3, 0) != 3) die("pwrite");
    struct stat info {};
    must(::fstat(fd, &info), "fstat");
    answer.say("links", static_cast<long>(info.st_nlink));
    answer.say("inode", static_cast<long>(info.st_ino));
  };
}

Probe deleted_working_directory(const std::string& dir) {
  std::string path = dir + "/gone";
  must(::mkdir(path.c_str(), 0700), "mkdir");
  must(::chdir(path.c_str()), "chdir");
  must(::rmdir(path.c_str()), "rmdir");
  return [](Answer& answer) {
    char buffer[4096];
    answer.say("getcwd",
               ::getcwd(buffer, sizeof buffer) == nullptr ? std::strerror(errno) : buffer);
    ssize_t size = ::readlink("/proc/self/cwd", buffer, sizeof buffer);
    answer.say("cwd", std::string(buffer, static_cast<std::size_t>(size < 0 ? 0 : size)));
    answer.say("create",
               ::open("file", O_CREAT | O_RDWR, 0600) < 0 ? std::strerror(errno) : "worked");
  };
}

Probe appending_descriptor(const std::string& dir) {
  std::string path = dir + "/log";
  int fd = must(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644), "open");
  if (::write(fd, "first\n", 6) != 6) die("write");
  return [=](Answer& answer) {
    answer.say("offset", ::lseek(fd, 0, SEEK_CUR));
    int other = must(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), "open");
    if (::write(other, "other\n", 6) != 6 || ::write(fd, "mine\n", 5) != 5) die("write");
    ::close(other);
    answer.say("size", static_cast<long>(read_whole_file(path).size()));
    must(::ftruncate(fd, 6), "ftruncate");
    must(static_cast<int>(::lseek(fd, 6, SEEK_SET)), "lseek");
  };
}

std::string flags_of(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  std::string text = std::to_string(flags & O_ACCMODE);
  if ((flags & O_APPEND) != 0) text += " append";
  if ((flags & O_NONBLOCK) != 0) text += " nonblock";
  if ((flags & O_DSYNC) != 0) text += " dsync";
  if ((flags & O_NOATIME) != 0) text += " noatime";
  if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) text += " cloexec";
  return text;
}

Probe descriptor_flags(const std::string& dir) {
  std::string path = dir + "/flagged";
  write_whole_file(path, "flags");
  std::vector<int> fds;
  for (int flags : {O_RDONLY, O_WRONLY | O_APPEND, O_RDWR | O_NONBLOCK | O_CLOEXEC,
                    O_WRONLY | O_DSYNC, O_RDONLY | O_NOATIME | O_CLOEXEC}) {
    fds.push_back(must(::open(path.c_str(), flags), "open"));
  }
  fds.push_back(must(::fcntl(fds[0], F_DUPFD, 500), "dup"));  // leaves a gap below
  fds.push_back(must(::fcntl(fds[0], F_DUPFD_CLOEXEC, 700), "dup"));
  fds.push_back(must(::open("/dev/null", O_WRONLY), "open /dev/null"));
  fds.push_back(must(::open(dir.c_str(), O_RDONLY | O_DIRECTORY), "open directory"));
  return [=](Answer& answer) {
    for (int fd : fds) {
      char target[4096];
      ssize_t size =
          ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
      std::string name(target, static_cast<std::size_t>(size < 0 ? 0 : size));
      answer.say(std::to_string(fd), flags_of(fd) + " " + name);
    }
  };
}

// Two descriptors of one open file description, one of them in a child, share their offset; a
// second open() does not.
Probe shared_offset(const std::string& dir) {
  std::string path = dir + "/shared";
  write_whole_file(path, "0123456789");
  int first = must(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open");
  int copy = must(::dup(first), "dup");
  int stranger = must(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open");
  must(static_cast<int>(::lseek(first, 4, SEEK_SET)), "lseek");
  return [=](Answer& answer) {
    answer.say("first", ::lseek(first, 0, SEEK_CUR));
    answer.say("copy", ::lseek(copy, 0, SEEK_CUR));
    answer.say("stranger", ::lseek(stranger, 0, SEEK_CUR));
    must(static_cast<int>(::lseek(copy, 9, SEEK_SET)), "lseek");
    answer.say("first follows", ::lseek(first, 0, SEEK_CUR));
    must(static_cast<int>(::lseek(first, 4, SEEK_SET)), "lseek");
  };
}

}  // namespace

std::vector<Feature> descriptor_features() {
  return {{"pipe-with-unread-data", pipe_with_unread_data},
          {"pipe-without-writer", pipe_without_writer},
          {"named-pipe", named_pipe},
          {"unlinked-file", unlinked_file},
          {"file-open-by-a-removed-name", file_open_by_a_removed_name},
          {"deleted-working-directory", deleted_working_directory},
          {"appending-descriptor", appending_descriptor},
          {"descriptor-flags", descriptor_flags},
          {"shared-offset", shared_offset}};
}

}  // namespace stateful
