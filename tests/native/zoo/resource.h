// Resource: one random kernel resource that a process holds, and how to inspect it.
//
// look() reports all that must be the same after a restore. It may be called repeatedly, so it must
// put back what it consumes. Its first report after make() is the expected one; check() compares
// later reports with it. disturb() must change what look() reports.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zoo {

// Prints the failed operation with errno and exits.
[[noreturn]] void die(const std::string& what);

// Exits if `value` is negative, the error value of system calls.
template <typename T>
T must(T value, const std::string& what) {
  if (value < 0) die(what);
  return value;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  // In [0, limit); 0 if limit is 0.
  template <typename T>
  T below(T limit) {
    return limit <= 0 ? T{0} : static_cast<T>(engine_() % static_cast<std::uint64_t>(limit));
  }
  bool flip() { return (engine_() >> 20U) % 2 == 0; }
  bool once_in(int n) { return below(n) == 0; }
  template <typename T>
  T of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<std::ptrdiff_t>(choices.size())));
  }
  std::string bytes(std::size_t size);
  std::string letters(std::size_t size);

 private:
  std::mt19937_64 engine_;
};

// Owns a descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The report of look(), key by key.
class Report {
 public:
  Report& say(std::string_view key, std::string_view value) {
    text_ += (text_.empty() ? "" : " ") + std::string(key) + "=" + std::string(value);
    return *this;
  }
  template <typename T>
  requires std::is_integral_v<T> Report& say(std::string_view key, T value) {
    return say(key, std::string_view(std::to_string(value)));
  }
  // The result of a system call, or the name of errno.
  Report& say_result(std::string_view key, long result);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Resource {
 public:
  virtual ~Resource() = default;
  // `path` is unique and may be used as a prefix of file names.
  virtual void make(Chance& chance, const std::string& path) = 0;
  virtual void look(Report& report) = 0;
  virtual void disturb() = 0;
  // True if a forked child holds the resource as well. The child expects what it sees first.
  virtual bool is_inherited() const { return false; }
  // Called after a fork in both processes, which may divide the ends between them.
  enum class Side { kParent, kChild };
  virtual void part(Side) {}

  void expect_what_is() { expected_ = looked(); }
  // nullopt, or the expected and the actual report.
  std::optional<std::string> check();
  // Like check(), for state that can be read only once; no check follows.
  virtual std::optional<std::string> finish() { return std::nullopt; }

 private:
  std::string looked() {
    Report report;
    look(report);
    return report.text();
  }
  std::string expected_;
};

// Whether the disturbance needs root's privileges, or the resource takes them away.
enum class Rights { kAny, kNeeds, kTakes };

struct Kind {
  std::string_view name;
  std::unique_ptr<Resource> (*create)();
  bool is_single = false;  // a process can hold only one of these
  bool is_last = false;    // takes away what others need, so it is made after the children
  Rights rights = Rights::kAny;
};

template <typename T>
std::unique_ptr<Resource> create() {
  return std::make_unique<T>();
}

std::vector<Kind> memory_kinds();
std::vector<Kind> shared_memory_kinds();
std::vector<Kind> file_kinds();
std::vector<Kind> lock_kinds();
std::vector<Kind> pipe_kinds();
std::vector<Kind> event_kinds();
std::vector<Kind> unix_kinds();
std::vector<Kind> internet_kinds();
std::vector<Kind> signal_kinds();
std::vector<Kind> timer_kinds();
std::vector<Kind> thread_kinds();
std::vector<Kind> standing_kinds();
std::vector<Kind> child_kinds();
std::vector<Kind> habit_kinds();
// All kinds, in a fixed order.
std::vector<Kind> all_kinds();

}  // namespace zoo
