// System V shared memory, semaphores and message queues: the branch's own IPC namespace, in which
// the engine lives, too.
//
// Saved: ids, keys, owners, modes, content. Brought back by the engine itself before init is born
// (`*_next_id` gives an object its id); processes attach shared memory as they map everything else;
// what was removed while attached is removed again when all have it. Declined: attachments that
// were cut into pieces, huge pages, adjustments of semaphores at exit (SEM_UNDO): the kernel shows
// them to nobody. Of a process with threads it does not even say whether it has any: they are lost.
// Times and pids of the last use are new.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/ipc/posix_queues.h"
#include "engine/native/memory/pages_file.h"

namespace sf::waypoint::native {

struct TreeFacts;
struct MappingText;

struct SegmentFacts {
  int id = 0;
  std::uint64_t size = 0;
  std::uint64_t attached = 0;
  bool has_huge_pages = false;
};
// All objects of this IPC namespace, as far as judging needs them.
struct IpcFacts {
  bool any = false;
  std::vector<SegmentFacts> segments;
  std::vector<PosixQueueFacts> posix_queues;
};
Result<IpcFacts> read_ipc_facts();
// Which processes may have adjustments of semaphores to undo. Requires: init comes first.
void find_undo(TreeFacts& facts);

// Pure. Why it cannot be attached again; empty: it can.
std::string attachment_trouble(const IpcFacts& ipc, const MappingText& mapping);

// Content is read through a process that has it attached, so that nobody sees a new last use.
Status capture_ipc(const TreeFacts& facts, IpcImage& ipc, PagesWriter& pages);

// Objects made for a tree, POSIX queues (posix_queues.h) among them; gone again with this object
// unless kept.
class MadeIpc {
 public:
  // `pages`: the pages file.
  static Result<MadeIpc> make(const IpcImage& ipc, int pages);
  MadeIpc(MadeIpc&& other) noexcept : ipc_(std::exchange(other.ipc_, nullptr)) {}
  MadeIpc& operator=(MadeIpc&&) = delete;
  ~MadeIpc();
  // Everybody has attached theirs.
  Status finish();
  void keep() { ipc_ = nullptr; }

 private:
  explicit MadeIpc(const IpcImage& ipc) : ipc_(&ipc) {}
  const IpcImage* ipc_;
};

}  // namespace sf::waypoint::native
