// POSIX message queues of the branch's IPC namespace. The engine runs in that namespace too.
//
// Saved: name, owner, mode, attributes, messages with their priorities. A queue shows its messages
// only to a receiver, so the engine receives all of them while the tree is stopped, and sends them
// back. Restored: by the engine before init is forked; init opens the descriptors. Declined: queues
// with a registered notification (mq_notify), and queues without a name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "os/fd.h"

namespace sf::waypoint::native {

struct PosixQueueFacts {
  std::string name;  // without the slash
  bool has_listener = false;
};
// Pure. True if a process is registered for notification. `status`: content of the queue's file.
bool names_listener(const std::string& status);

// Finds and saves the queues of the caller's IPC namespace.
class PosixQueues {
 public:
  // `name_space`: its inode number.
  Result<std::vector<PosixQueueFacts>> look(std::uint64_t name_space);
  // Requires: look() returned these queues.
  Status capture(const std::vector<PosixQueueFacts>& queues, IpcImage& ipc) const;

 private:
  os::UniqueFd mount_;
  std::uint64_t name_space_ = 0;
};

// True if the caller's IPC namespace has queues, or if that cannot be determined.
bool may_have_queues(PosixQueues& queues);

Status make_posix_queues(const IpcImage& ipc);
void remove_posix_queues(const IpcImage& ipc);

}  // namespace sf::waypoint::native
