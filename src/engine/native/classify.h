// Determines the kind of a descriptor or a mapping, or why it cannot be captured. Pure. An unknown
// kind is refused, never guessed.
#pragma once

#include <string>

#include "engine/native/facts.h"

namespace sf::waypoint::native {

enum class DescriptorKind {
  kPath,
  kFifo,
  kPipe,
  kMemoryFile,
  kUnlinked,
  kOtherName,  // the file has another name left
  kLostDirectory,
  kTerminal,
  kMaster,
  kOwnTerminal,
  kDeadTerminal,
  kEvent,
  kMessageQueue,
  kSocket,
  kRefused
};

struct DescriptorVerdict {
  DescriptorKind kind = DescriptorKind::kRefused;
  std::string what;  // kRefused: "descriptor 5 (epoll)"
  std::string why;
};
DescriptorVerdict classify(const DescriptorFacts& fd);

struct MappingVerdict {
  bool refused = false;
  MappingKind kind = MappingKind::kAnonymous;
  std::string why;
};
MappingVerdict classify(const MappingText& mapping);

}  // namespace sf::waypoint::native
