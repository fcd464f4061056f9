// System V shared memory, semaphores and message queues of the branch's IPC namespace. The engine
// runs in that namespace too.
//
// Saved: ids, keys, owners, modes, content. Restored: by the engine before init is forked
// (`*_next_id` gives an object its id). Processes attach shared memory together with their other
// mappings. A segment that was removed while attached is removed again once all processes have
// attached it. Declined: attachments that were split into pieces, huge pages, and adjustments of
// semaphores at exit (SEM_UNDO), which the kernel does not show. For a process with threads it does
// not even show whether there are any, so they are lost. Times and pids of the last use are new.
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
// The objects of this IPC namespace, as far as find_blockers() needs them.
struct IpcFacts {
  bool any = false;
  std::vector<SegmentFacts> segments;
  std::vector<PosixQueueFacts> posix_queues;
};
Result<IpcFacts> read_ipc_facts();
// Finds the processes that may have SEM_UNDO adjustments. Requires: init comes first.
void find_undo(TreeFacts& facts);

// Pure. Why it cannot be attached again; empty: it can.
std::string attachment_trouble(const IpcFacts& ipc, const MappingText& mapping);

// Reads content through a process that has the segment attached, so that the time of its last use
// does not change.
Status capture_ipc(const TreeFacts& facts, IpcImage& ipc, PagesWriter& pages);

// The objects created for a tree, including POSIX queues (posix_queues.h). The destructor removes
// them, unless keep() was called.
class MadeIpc {
 public:
  // `pages`: the pages file.
  static Result<MadeIpc> make(const IpcImage& ipc, int pages);
  MadeIpc(MadeIpc&& other) noexcept : ipc_(std::exchange(other.ipc_, nullptr)) {}
  MadeIpc& operator=(MadeIpc&&) = delete;
  ~MadeIpc();
  // Call when all processes have attached their segments.
  Status finish();
  void keep() { ipc_ = nullptr; }

 private:
  explicit MadeIpc(const IpcImage& ipc) : ipc_(&ipc) {}
  const IpcImage* ipc_;
};

}  // namespace sf::waypoint::native
