// StateDiff: the differences between two states of a session, in users' terms.
#pragma once

#include <string>
#include <vector>

namespace sf::control {

enum class DiffKind { kAdded, kRemoved, kChanged };
enum class DiffSubject { kFile, kProcess, kPort, kEnvironment, kWorkingDirectory };

struct StateDifference {
  DiffSubject subject = DiffSubject::kFile;
  DiffKind kind = DiffKind::kChanged;
  std::string name;    // path, command line, "tcp 127.0.0.1:8000", variable
  std::string before;  // one short line each; may be empty
  std::string after;
  std::string patch;  // unified, for text files; bounded by the backend
};

struct StateDiff {
  std::vector<StateDifference> differences;
  bool truncated = false;  // entries were omitted
  std::string unproven;    // why a side is not proven to be its node's state; empty if it is
};

}  // namespace sf::control
