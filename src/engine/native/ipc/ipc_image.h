// Saved state of System V IPC objects and POSIX message queues. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "engine/native/memory/extent.h"

namespace sf::waypoint::native {

struct IpcObject {  // of System V
  std::int32_t id = 0;
  std::int32_t key = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t creator_uid = 0;
  std::uint32_t creator_gid = 0;
};

struct SegmentImage {  // shared memory
  IpcObject object;
  std::uint64_t size = 0;
  std::vector<Extent> extents;
  template <typename A>
  void fields(A& a) {
    a(object)(size)(extents);
  }
};

struct SemaphoresImage {
  IpcObject object;
  std::vector<std::uint16_t> values;
  template <typename A>
  void fields(A& a) {
    a(object)(values);
  }
};

struct LetterImage {
  long type = 0;
  std::string text;
  template <typename A>
  void fields(A& a) {
    a(type)(text);
  }
};

struct QueueImage {  // of messages
  IpcObject object;
  std::uint64_t capacity = 0;
  std::vector<LetterImage> letters;
  template <typename A>
  void fields(A& a) {
    a(object)(capacity)(letters);
  }
};

struct PosixMessage {
  std::uint32_t priority = 0;
  std::string bytes;
  template <typename A>
  void fields(A& a) {
    a(priority)(bytes);
  }
};

struct PosixQueueImage {
  std::string name;  // without the slash
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int64_t most = 0;  // maximum number of messages
  std::int64_t size = 0;  // maximum size of a message
  std::array<timespec, 2> times{};
  std::vector<PosixMessage> messages;
  template <typename A>
  void fields(A& a) {
    a(name)(mode)(uid)(gid)(most)(size)(times)(messages);
  }
};

struct IpcImage {
  std::vector<SegmentImage> segments;
  std::vector<SemaphoresImage> semaphores;
  std::vector<QueueImage> queues;
  std::vector<PosixQueueImage> posix_queues;
  template <typename A>
  void fields(A& a) {
    a(segments)(semaphores)(queues)(posix_queues);
  }
};

}  // namespace sf::waypoint::native
