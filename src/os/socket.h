// Unix sockets: listen and connect by path (of any length), peers, descriptors in messages.
#pragma once

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

Result<UniqueFd> listen_unix(const std::string& path, mode_t mode);
// If the listener's backlog is full, waits until the deadline.
Result<UniqueFd> connect_unix(const std::string& path, Deadline deadline = Deadline::never());
Result<UniqueFd> accept_unix(int listener);
Result<std::pair<UniqueFd, UniqueFd>> seqpacket_pair();

struct Datagram {
  std::string bytes;   // empty: the peer is gone
  UniqueFd passed_fd;  // the first descriptor in the message, if any
};
Result<Datagram> receive_datagram(int fd, std::size_t cap);

// True if the descriptor became readable (or hung up) before the deadline.
Result<bool> wait_readable(int fd, Deadline deadline);
Status set_nonblocking(int fd);

}  // namespace sf::os
