// Writes programs (program.h) into memory that another process will see at `base`.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "engine/native/program/program.h"

namespace sf::waypoint::native {

// Memory that is filled from its start. Addresses are those of the process that runs the programs.
class Arena {
 public:
  Arena(unsigned char* local, std::uint64_t base, std::size_t size)
      : local_(local), base_(base), size_(size) {}

  std::uint64_t base() const { return base_; }
  std::size_t used() const { return used_; }
  std::uint64_t reserve(std::size_t size, std::size_t alignment = 16);
  std::uint64_t put(const void* bytes, std::size_t size) {
    std::uint64_t at = reserve(size);
    if (size > 0) std::memcpy(local(at), bytes, size);
    return at;
  }
  std::uint64_t put_text(const std::string& text) { return put(text.c_str(), text.size() + 1); }
  template <typename T>
  std::uint64_t put_value(const T& value) {
    return put(&value, sizeof value);
  }
  unsigned char* local(std::uint64_t address) { return local_ + (address - base_); }
  template <typename T>
  T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(local(address));
  }

 private:
  unsigned char* local_;
  std::uint64_t base_;
  std::size_t size_;
  std::size_t used_ = 0;
};

// An argument of a step: a number, an address, or the result of an earlier step.
struct Argument {
  template <typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T> Argument(T number)
      : value(static_cast<std::uint64_t>(number)) {}  // NOLINT: implicit
  std::uint64_t value = 0;
  bool from_values = false;

  static Argument kept(int index) {
    Argument argument(index);
    argument.from_values = true;
    return argument;
  }
};

class ProgramWriter {
 public:
  // `subjects` collects what the steps are about, for error messages.
  ProgramWriter(Arena& arena, std::vector<std::string>& subjects)
      : arena_(arena), subjects_(subjects) {}

  Arena& arena() { return arena_; }
  // A writer for a further program in the same memory.
  ProgramWriter another() { return {arena_, subjects_}; }
  ProgramWriter& about(std::string subject) {
    subjects_.push_back(std::move(subject));
    return *this;
  }
  void call(long number, std::initializer_list<Argument> args) { add(number, args); }
  void try_call(long number, std::initializer_list<Argument> args) {
    add(number, args).may_fail = 1;
  }
  void call_exactly(long result, long number, std::initializer_list<Argument> args) {
    add(number, args).exactly = result;
  }
  // Keeps the result for later steps.
  Argument keep(long number, std::initializer_list<Argument> args) {
    add(number, args).keep = values_;
    return Argument::kept(values_++);
  }
  // The index of the next step, for result().
  std::size_t next_step() const { return steps_.size(); }

  // Returns the program's address. Requires: the last step is a kTrap, a kPark or an exit.
  std::uint64_t finish(std::uint32_t id, std::uint64_t failure);
  // Requires: the program is finished and has run.
  long result(std::size_t step);

 private:
  Step& add(long number, std::initializer_list<Argument> args);

  Arena& arena_;
  std::vector<std::string>& subjects_;
  std::vector<Step> steps_;
  std::int32_t values_ = 0;
  std::uint64_t placed_ = 0;
};

}  // namespace sf::waypoint::native
