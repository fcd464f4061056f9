// File locks: of an open file description, of a process, of ranges. A second descriptor of the same
// file reports the conflicting lock. It stays open, because closing it would drop the process's own
// locks.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

class Lock : public Resource {
 protected:
  void open_twice(const std::string& path) {
    write_whole(path, "0123456789");
    file_.reset(must(::open(path.c_str(), O_RDWR | O_CLOEXEC), path));
    other_.reset(must(::open(path.c_str(), O_RDWR | O_CLOEXEC), path));
  }
  Fd file_;
  Fd other_;
};

class WholeLock : public Lock {
 public:
  void make(Chance& chance, const std::string& path) override {
    open_twice(path);
    must(::flock(file_.get(), chance.of({LOCK_SH, LOCK_EX}) | LOCK_NB), "flock");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", file_.get());
    for (int kind : {LOCK_SH, LOCK_EX}) {
      report.say_result("can" + std::to_string(kind), ::flock(other_.get(), kind | LOCK_NB));
      ::flock(other_.get(), LOCK_UN);
    }
  }
  void disturb() override { ::flock(file_.get(), LOCK_UN); }
  bool is_inherited() const override { return true; }
};

class RangeLocks : public Lock {
 public:
  explicit RangeLocks(int set) : set_(set) {}
  void make(Chance& chance, const std::string& path) override {
    open_twice(path);
    for (int i = 1 + chance.below(5); i > 0; --i) {
      struct flock range {};
      range.l_type = chance.of({short{F_RDLCK}, short{F_WRLCK}, short{F_UNLCK}});
      range.l_start = chance.below(30);
      range.l_len = chance.below(15);  // 0: to the end of the file
      must(::fcntl(file_.get(), set_, &range), "lock");
    }
    struct flock certain {};
    certain.l_type = F_WRLCK;
    certain.l_start = 100;
    certain.l_len = 1 + chance.below(9);
    must(::fcntl(file_.get(), set_, &certain), "lock");
  }
  void look(Report& report) override {
    say_descriptor(report, "fd", file_.get());
    std::string map;
    for (off_t at : {0, 1, 3, 6, 9, 12, 15, 18, 22, 26, 29, 33, 50, 99, 100, 105, 109, 200}) {
      struct flock range {};
      range.l_type = F_WRLCK;
      range.l_start = at;
      range.l_len = 1;
      if (::fcntl(other_.get(), F_OFD_GETLK, &range) != 0) map += "?";
      map += std::to_string(at) + ":" + std::to_string(range.l_type);
      if (range.l_type != F_UNLCK)
        map += "(" + std::to_string(range.l_start) + "+" + std::to_string(range.l_len) + "@" +
               std::to_string(range.l_pid) + ")";
      map += " ";
    }
    report.say("locks", map);
  }
  void disturb() override {
    struct flock all {};
    all.l_type = F_UNLCK;
    ::fcntl(file_.get(), set_, &all);
  }

 private:
  int set_;
};

class ProcessLocks : public RangeLocks {
 public:
  ProcessLocks() : RangeLocks(F_SETLK) {}
};

class DescriptionLocks : public RangeLocks {
 public:
  DescriptionLocks() : RangeLocks(F_OFD_SETLK) {}
  bool is_inherited() const override { return true; }
};

}  // namespace

std::vector<Kind> lock_kinds() {
  return {{"whole-lock", create<WholeLock>},
          {"process-locks", create<ProcessLocks>},
          {"description-locks", create<DescriptionLocks>}};
}

}  // namespace zoo
