// ExportedVariable: a number or pointer of a running program, by the name that the program's file
// exports (.dynsym). Programs that load plugins export their variables; bash does. Reading changes
// neither the process nor, for root, the access time of its file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sf::waypoint {

class ExportedVariable {
 public:
  explicit ExportedVariable(std::string name) : name_(std::move(name)) {}

  // Nothing: the program does not export it, or may not be read.
  std::optional<std::uint64_t> value_in(pid_t pid);

 private:
  struct Program {  // a file, as stat(2) identifies it
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changed = 0;  // in nanoseconds
    bool operator==(const Program&) const = default;
  };

  void find_in(const std::string& path);

  std::string name_;
  std::optional<Program> program_;         // the last program that was searched
  std::optional<std::uint64_t> distance_;  // of the variable from its entry point
  std::size_t size_ = 0;                   // in bytes
};

}  // namespace sf::waypoint
