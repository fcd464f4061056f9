// Facts about a Unix socket, and how such sockets are connected. Plain data.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

struct UnixFacts {
  int type = 0;
  std::uint32_t inode = 0;
  bool listens = false;
  bool connected = false;
  std::uint32_t peer = 0;  // inode of the other end; 0: it is closed, or not accepted yet
  std::uint32_t shutdown = 0;
  std::uint32_t backlog = 0;
  std::vector<std::uint32_t> waiting;  // unaccepted clients, in their order
  std::string name;                    // as bind() takes it; empty: none
  std::string peer_name;
  std::string path;             // of its file, if it has one
  bool path_gone = false;       // the file was removed
  bool file_moved = false;      // the file was renamed
  bool directory_gone = false;  // the file's directory was removed
  bool has_error = false;
  bool has_urgent = false;
  bool has_unread = false;
  int unsent = 0;
  int descriptors = 0;  // number in its queue
  bool passes_credentials = false;
  UnixTie tie = UnixTie::kAlone;
  std::string trouble;  // why `tie` could not be determined
  bool operator==(const UnixFacts&) const = default;
};

// `root`: the root directory of the process that has the socket `fd`.
UnixFacts read_unix_facts(int fd, const std::string& root);

// An entry of the kernel's list of sockets.
struct UnixListing {
  std::uint32_t inode = 0;
  bool connected = false;
  std::uint32_t peer = 0;
  std::uint32_t shutdown = 0;
  std::uint32_t backlog = 0;
  std::vector<std::uint32_t> waiting;
};
// The sockets of this network namespace.
Result<std::vector<UnixListing>> list_unix_sockets();
// Pure. Parses one reply of the kernel. Returns whether it was the last; nothing: malformed.
std::optional<bool> parse_unix_listing(std::string_view bytes, std::vector<UnixListing>& all);

// Pure. Completes the facts of all sockets of a tree; a socket may occur several times.
void tie_unix_sockets(const std::vector<UnixFacts*>& sockets,
                      const std::vector<UnixListing>& listing);

// Pure. Why it cannot be captured.
std::optional<std::string> unix_trouble(const UnixFacts& socket);

// Pure. Parses a socket's fdinfo.
int descriptors_in_queue(std::string_view info);

// Pure. `name`: an address as bind() takes it.
bool is_abstract(const std::string& name);
std::string path_in(const std::string& name);  // empty: none

}  // namespace sf::waypoint::native
