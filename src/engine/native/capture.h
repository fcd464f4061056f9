// Captures a stopped tree.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/native/facts.h"
#include "engine/native/host_context.h"
#include "engine/native/image.h"
#include "engine/native/ipc/posix_queues.h"
#include "engine/native/memory/memory_capture.h"
#include "engine/native/process/known_init.h"
#include "engine/native/ptrace/stopped_tree.h"

namespace sf::waypoint::native {

// Which system call a thread was making when it was first interrupted in it. The kernel forgets the
// number when it lets the thread go on waiting (restart_syscall), and the next capture needs it.
class InterruptedCalls {
 public:
  // A capture begins: what it does not meet again is forgotten with the next one.
  void begin() { before_ = std::exchange(known_, {}); }
  // The number of the call; negative: it is not known, or there is none.
  long learn(const ThreadFacts& thread, const user_regs_struct& registers);

 private:
  struct Known {
    std::uint64_t start_time;
    std::array<std::uint64_t, 4> location;  // rip, rsp, rdi, rsi: the same call still
    long number;
  };
  std::map<pid_t, Known> known_;
  std::map<pid_t, Known> before_;
};

// Those of processes that live.
template <typename Work>
void for_each_thread(const TreeFacts& facts, StoppedTree& stopped, Work work) {
  for (const ProcessFacts& process : facts.processes) {
    if (process.ended()) continue;
    for (const ThreadFacts& thread : process.threads) work(thread, stopped.thread(thread.tid));
  }
}

// Has threads that wait with a time make their system call anew when they go on, instead of having
// the kernel restart it: another engine that is about to look would not know which call it was.
void make_calls_anew(const TreeFacts& facts, StoppedTree& stopped, InterruptedCalls& calls);

// What an engine keeps from one capture to the next.
struct CaptureMemory {
  explicit CaptureMemory(std::string directory) : watches(std::move(directory)) {}
  InterruptedCalls calls;
  MemoryWatches watches;
  CopyBuffer buffer;
  PosixQueues posix_queues;
  KnownInit init;
  HostContext host_context;
};

// A tree that was written down and still stands still.
struct WrittenTree {
  TreeImage image;
  PagesWriter pages;
  std::vector<MemoryPlan> plans;  // one for each process
};

// Requires: nothing in `facts` blocks it.
Result<WrittenTree> capture_tree(const TreeFacts& facts, StoppedTree& stopped,
                                 const CaptureRequest& request, CaptureMemory& memory);
// The image is complete: later ones may build on it.
void note_written(const TreeFacts& facts, const WrittenTree& written, MemoryWatches& watches);

}  // namespace sf::waypoint::native
