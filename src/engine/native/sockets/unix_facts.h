// What is seen of a socket of the Unix family, and how such sockets hang together. Plain data.
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
  std::vector<std::uint32_t> waiting;  // who wait to be accepted, in their order
  std::string name;                    // as bind() takes it; empty: none
  std::string peer_name;
  std::string path;             // of its file, as long as it has one
  bool path_gone = false;       // the file lost its name
  bool file_moved = false;      // it has another name than the socket
  bool directory_gone = false;  // in which the file was
  bool has_error = false;
  bool has_urgent = false;
  bool has_unread = false;
  int unsent = 0;
  int descriptors = 0;  // that lie in its queue
  bool passes_credentials = false;
  UnixTie tie = UnixTie::kAlone;
  std::string trouble;  // why `tie` could not be found
  bool operator==(const UnixFacts&) const = default;
};

// Of the socket `fd`, whose process sees `root` as its root directory.
UnixFacts read_unix_facts(int fd, const std::string& root);

// What the kernel's list of sockets adds.
struct UnixListing {
  std::uint32_t inode = 0;
  bool connected = false;
  std::uint32_t peer = 0;
  std::uint32_t shutdown = 0;
  std::uint32_t backlog = 0;
  std::vector<std::uint32_t> waiting;
};
// Of this network namespace.
Result<std::vector<UnixListing>> list_unix_sockets();
// Pure. One answer of the kernel's: whether it was the last; nothing: it is not understood.
std::optional<bool> parse_unix_listing(std::string_view bytes, std::vector<UnixListing>& all);

// Pure. Completes the facts of all sockets of a tree; one may occur several times.
void tie_unix_sockets(const std::vector<UnixFacts*>& sockets,
                      const std::vector<UnixListing>& listing);

// Pure. Why it cannot be captured.
std::optional<std::string> unix_trouble(const UnixFacts& socket);

// Pure. From a socket's fdinfo.
int descriptors_in_queue(std::string_view info);

// Pure. Of an address as bind() takes it.
bool is_abstract(const std::string& name);
std::string path_in(const std::string& name);  // empty: none

}  // namespace sf::waypoint::native
