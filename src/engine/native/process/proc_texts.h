// Parsers of /proc files that describe a process. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/native/files/lost_names.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

struct StatText {  // /proc/pid/stat
  char state = 0;
  std::string name;
  pid_t parent = 0;
  std::int64_t terminal = 0;  // device number; 0: none
  std::int32_t exit_signal = 0;
  std::int32_t nice = 0;
  std::uint32_t policy = 0;
  std::uint32_t threads = 0;
  std::int32_t exit_status = 0;
  std::uint64_t start_time = 0;
  std::array<std::uint64_t, 11> bounds{};  // in the order of MemoryLayout, without brk
};
std::optional<StatText> parse_stat(std::string_view text);

struct StatusText {           // /proc/pid/status
  Credentials credentials;    // without the secure bits
  std::vector<pid_t> pids;    // one per PID namespace, outermost first; next two alike
  std::vector<pid_t> groups;  // process groups
  std::vector<pid_t> sessions;
  pid_t tracer = 0;
  std::uint32_t umask = 0;
  std::uint32_t seccomp = 0;
  std::uint64_t ignored = 0;         // signals
  std::uint64_t pending = 0;         // to the thread
  std::uint64_t shared_pending = 0;  // to the process
  std::string thread_features;       // shadow stacks and the like
};
std::optional<StatusText> parse_status(std::string_view text);

struct MappingText {  // one of /proc/pid/smaps
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::string permissions;  // "r-xp"
  std::string device;
  std::uint64_t inode = 0;
  std::string name;
  std::vector<std::string> flags;  // two letters each
  bool watched = false;            // by this engine (memory_watches.h): writes are tracked
  bool served = false;             // likewise, and missing pages are supplied
  LostName lost;                   // of a deleted file
};
std::optional<std::vector<MappingText>> parse_smaps(std::string_view text);

struct FdInfoText {  // /proc/pid/fdinfo/n
  std::uint64_t offset = 0;
  std::uint32_t flags = 0;
  std::string text;  // all of it
};
std::optional<FdInfoText> parse_fdinfo(std::string_view text);

}  // namespace sf::waypoint::native
