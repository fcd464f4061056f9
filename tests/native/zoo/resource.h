// Resource: one thing of the kernel's that a process holds, made at random, and how to look at it.
//
// look() says everything about it that must be the same after a restore, and may be asked again and
// again: what it consumes it puts back. Right after make() it is asked once; from then on check()
// compares. disturb() changes it so that look() says something else.
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

// Prints what failed with errno and ends the process: a test program has no better idea.
[[noreturn]] void die(const std::string& what);

// Ends the process when `value` is negative, as system calls say it.
template <typename T>
T must(T value, const std::string& what) {
  if (value < 0) die(what);
  return value;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  // In [0, limit); 0 when there is nothing to choose from.
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

// What look() says, piece by piece.
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
  // Of a system call: its result, or errno's name.
  Report& say_result(std::string_view key, long result);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Resource {
 public:
  virtual ~Resource() = default;
  // `path` is a name that nobody else uses, for files of its own.
  virtual void make(Chance& chance, const std::string& path) = 0;
  virtual void look(Report& report) = 0;
  virtual void disturb() = 0;
  // In a forked child: whether the child holds it, too. What it then sees is what it expects.
  virtual bool is_inherited() const { return false; }
  // After a fork, in both: each may leave ends of it to the other.
  enum class Side { kParent, kChild };
  virtual void part(Side) {}

  void expect_what_is() { expected_ = looked(); }
  // Nothing, or what was expected and what is.
  std::optional<std::string> check();
  // Likewise of what can be looked at once: nobody checks afterwards.
  virtual std::optional<std::string> finish() { return std::nullopt; }

 private:
  std::string looked() {
    Report report;
    look(report);
    return report.text();
  }
  std::string expected_;
};

// Whether a kind needs the rights of root to be disturbed, or takes them away.
enum class Rights { kAny, kNeeds, kTakes };

struct Kind {
  std::string_view name;
  std::unique_ptr<Resource> (*create)();
  bool is_single = false;  // a process has but one such thing
  bool is_last = false;    // takes away what others need, and is made after the children
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
// All of them, in an order that never changes within one build.
std::vector<Kind> all_kinds();

}  // namespace zoo
