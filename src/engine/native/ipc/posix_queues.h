// POSIX message queues: the branch's own IPC namespace, in which the engine lives, too.
//
// Saved: name, owner, mode, attributes, messages with their priorities. A queue shows its messages
// to nobody who does not take them, so all are taken while everybody stands still, and put back.
// Brought back by the engine before init is born; init opens what was open. Declined: queues whose
// next message somebody is to be told of (mq_notify), and those without a name.
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
// Pure. From what reading a queue's file tells.
bool names_listener(const std::string& status);

// Sees the queues of the namespace that its caller lives in.
class PosixQueues {
 public:
  // `name_space`: its inode number.
  Result<std::vector<PosixQueueFacts>> look(std::uint64_t name_space);
  // Requires: look() saw them.
  Status capture(const std::vector<PosixQueueFacts>& queues, IpcImage& ipc) const;

 private:
  os::UniqueFd mount_;
  std::uint64_t name_space_ = 0;
};

// Whether there are queues in the IPC namespace that the caller lives in, as far as can be told.
bool may_have_queues(PosixQueues& queues);

Status make_posix_queues(const IpcImage& ipc);
void remove_posix_queues(const IpcImage& ipc);

}  // namespace sf::waypoint::native
