// Descriptors of files, directories, O_PATH locations and devices.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

// Opened once, held under one or two numbers, and inherited by children. look() advances the
// offset; a count in a file holds the expected offset for all processes.
class OpenFile : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    path_ = path;
    write_whole(path, chance.bytes(chance.below(20'000U)));
    int flags = chance.of({O_RDONLY, O_WRONLY, O_RDWR}) | chance.of({0, 0, O_APPEND}) |
                chance.of({0, 0, O_NONBLOCK}) | chance.of({0, 0, O_SYNC, O_DSYNC, O_NOATIME}) |
                chance.of({0, O_CLOEXEC});
    int low = must(::open(path.c_str(), flags), path);
    // Numbers that are far apart.
    file_.reset(
        must(::fcntl(low, chance.of({F_DUPFD, F_DUPFD_CLOEXEC}), chance.of({3, 40, 100, 700})),
             "F_DUPFD"));
    if (chance.flip())
      again_.reset(low);
    else
      ::close(low);
    must(::lseek(file_.get(), chance.below(30'000), SEEK_SET), "lseek");
    count_.make(path);
    switch (chance.below(5)) {
      case 0:
        must(::unlink(path.c_str()), path);
        is_named_ = false;
        break;
      case 1:
        path_ = path + ".renamed";
        must(::rename(path.c_str(), path_.c_str()), path);
        break;
      case 2:
        must(::fchmod(file_.get(), 0604), path);
        must(::fchown(file_.get(), 12, 34), path);
        break;
      default:
        break;
    }
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", file_.get());
    if (again_.open()) say_descriptor(report, "again", again_.get());
    struct stat info {};
    ::fstat(file_.get(), &info);
    report.say("size", info.st_size).say("links", info.st_nlink).say("gid", info.st_gid);
    report.say("modified", info.st_mtim.tv_sec).say("nanos", info.st_mtim.tv_nsec);
    if (is_named_) report.say("bytes", hex(hash_of(read_whole(path_))));
    std::int64_t moved = count_.get();
    report.say("offset", ::lseek(file_.get(), 0, SEEK_CUR) - moved);
    ::lseek(file_.get(), 3, SEEK_CUR);
    count_.set(moved + 3);
  }
  void disturb() override {
    ::lseek(file_.get(), 100, SEEK_CUR);
    if (again_.open()) again_.reset();
    if (is_named_) ::truncate(path_.c_str(), 7);
  }
  bool is_inherited() const override { return true; }

 private:
  std::string path_;
  Fd file_;
  Fd again_;
  bool is_named_ = true;
  SharedCount count_;
};

// A file without a name (O_TMPFILE), or with two names.
class NamelessFile : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    std::string bytes = chance.bytes(chance.below(9000U));
    has_names_ = chance.flip();
    if (has_names_) {
      write_whole(path, "");
      must(::link(path.c_str(), (path + ".too").c_str()), path);
      file_.reset(must(::open((path + ".too").c_str(), O_RDWR | O_CLOEXEC), path));
    } else {
      std::string directory = path.substr(0, path.rfind('/'));
      file_.reset(must(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0640), path));
    }
    must(::pwrite(file_.get(), bytes.data(), bytes.size(), chance.of({0, 50'000})), path);
    must(::lseek(file_.get(), chance.below(9000), SEEK_SET), path);
    path_ = path;
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", file_.get());
    struct stat info {};
    ::fstat(file_.get(), &info);
    report.say("size", info.st_size).say("links", info.st_nlink);
    report.say("offset", ::lseek(file_.get(), 0, SEEK_CUR));
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    report.say_result("read", ::pread(file_.get(), bytes.data(), bytes.size(), 0));
    report.say("bytes", hex(hash_of(bytes)));
    if (has_names_) report.say("named", hex(hash_of(read_whole(path_))));
  }
  void disturb() override {
    if (::pwrite(file_.get(), "disturbed", 9, 100'000) < 0) die("pwrite");
  }
  bool is_inherited() const override { return true; }

 private:
  std::string path_;
  Fd file_;
  bool has_names_ = false;
};

// An unmodified file of the base root.
class BaseFile : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    const char* path = chance.of({"/etc/passwd", "/etc/group", "/bin/sh", "/usr/bin/env"});
    file_.reset(must(::open(path, O_RDONLY | chance.of({0, O_CLOEXEC})), path));
    must(::lseek(file_.get(), chance.below(300), SEEK_SET), "lseek");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", file_.get());
    off_t offset = ::lseek(file_.get(), 0, SEEK_CUR);
    char bytes[512];
    ssize_t n = ::read(file_.get(), bytes, sizeof bytes);
    report.say("offset", offset).say_result("read", n);
    report.say("bytes", hex(hash_of({bytes, static_cast<std::size_t>(n < 0 ? 0 : n)})));
    ::lseek(file_.get(), offset, SEEK_SET);
  }
  void disturb() override { ::lseek(file_.get(), 1, SEEK_CUR); }
  bool is_inherited() const override { return true; }

 private:
  Fd file_;
};

class Directory : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    must(::mkdir(path.c_str(), 0755), path);
    int count = 3 + chance.below(40);
    for (int i = 0; i < count; ++i) write_whole(path + "/" + std::to_string(i), "x");
    directory_.reset(must(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path));
    // Read part of the directory, so that the kernel holds a position.
    char block[200];
    for (int i = chance.below(4); i > 0; --i)
      must(::syscall(SYS_getdents64, directory_.get(), block, sizeof block), "getdents64");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", directory_.get());
    off_t here = ::lseek(directory_.get(), 0, SEEK_CUR);
    report.say("names", names());
    ::lseek(directory_.get(), here, SEEK_SET);
    struct stat info {};
    report.say_result("first", ::fstatat(directory_.get(), "0", &info, 0));
  }
  void disturb() override {
    names();
    directory_.reset();
  }

 private:
  // The names from the current position to the end, in the kernel's order.
  std::string names() {
    std::string all;
    alignas(8) char block[4096];
    long n = 0;
    while ((n = ::syscall(SYS_getdents64, directory_.get(), block, sizeof block)) > 0) {
      for (long at = 0; at < n;) {
        auto* entry = reinterpret_cast<dirent64*>(block + at);
        all += std::string(entry->d_name) + ",";
        at += entry->d_reclen;
      }
    }
    return all;
  }
  Fd directory_;
};

class Location : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    write_whole(path, "a place");
    must(::symlink(path.c_str(), (path + ".link").c_str()), path);
    must(::mkfifo((path + ".fifo").c_str(), 0600), path);
    std::string target = chance.of<std::string>(
        {path, path + ".link", path + ".fifo", "/etc", "/dev/null", "/proc/meminfo"});
    location_.reset(
        must(::open(target.c_str(), O_PATH | O_NOFOLLOW | chance.of({0, O_CLOEXEC})), target));
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", location_.get());
    char target[256] = {};
    std::string link = "/proc/self/fd/" + std::to_string(location_.get());
    report.say_result("link", ::readlink(link.c_str(), target, sizeof target - 1));
    report.say("to", target);
  }
  void disturb() override {
    int other = ::open("/usr", O_PATH | O_CLOEXEC);
    ::dup2(other, location_.get());
    ::close(other);
  }
  bool is_inherited() const override { return true; }

 private:
  Fd location_;
};

class Device : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    const char* path = chance.of({"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                  "/dev/urandom", "/proc/meminfo", "/proc/sys/kernel/hostname"});
    bool is_text = path[1] == 'p';
    device_.reset(
        must(::open(path, (is_text ? O_RDONLY : O_RDWR) | chance.of({0, O_NONBLOCK})), path));
    if (!is_text || !chance.flip()) return;
    char some[5];
    must(::read(device_.get(), some, sizeof some), path);
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", device_.get());
    struct stat info {};
    ::fstat(device_.get(), &info);
    report.say("major", major(info.st_rdev)).say("minor", minor(info.st_rdev));
    if (S_ISREG(info.st_mode)) report.say("offset", ::lseek(device_.get(), 0, SEEK_CUR));
  }
  void disturb() override { device_.reset(); }

 private:
  Fd device_;
};

}  // namespace

std::vector<Kind> file_kinds() {
  return {{"open-file", create<OpenFile>}, {"nameless-file", create<NamelessFile>},
          {"base-file", create<BaseFile>}, {"directory", create<Directory>},
          {"place", create<Location>},     {"device", create<Device>}};
}

}  // namespace zoo
