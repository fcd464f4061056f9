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

// Remembers which system call each thread was making when it was first interrupted. Once the kernel
// resumes the wait with restart_syscall, it no longer shows the number, and the next capture needs
// it.
class InterruptedCalls {
 public:
  // Begins a capture. Threads that this capture does not see are forgotten by the next begin().
  void begin() { before_ = std::exchange(known_, {}); }
  // The number of the call. Negative: unknown, or no call.
  long learn(const ThreadFacts& thread, const user_regs_struct& registers);

 private:
  struct Known {
    std::uint64_t start_time;
    std::array<std::uint64_t, 4> location;  // rip, rsp, rdi, rsi: unchanged during one call
    long number;
  };
  std::map<pid_t, Known> known_;
  std::map<pid_t, Known> before_;
};

// Calls `work` for each thread of the processes that have not ended.
template <typename Work>
void for_each_thread(const TreeFacts& facts, StoppedTree& stopped, Work work) {
  for (const ProcessFacts& process : facts.processes) {
    if (process.ended()) continue;
    for (const ThreadFacts& thread : process.threads) work(thread, stopped.thread(thread.tid));
  }
}

// Makes threads that wait with a timeout repeat their system call when they resume, instead of
// letting the kernel restart it: an engine that captures next could not tell which call it was.
void make_calls_anew(const TreeFacts& facts, StoppedTree& stopped, InterruptedCalls& calls);

// State that an engine keeps from one capture to the next.
struct CaptureMemory {
  explicit CaptureMemory(std::string directory) : watches(std::move(directory)) {}
  InterruptedCalls calls;
  MemoryWatches watches;
  CopyBuffer buffer;
  PosixQueues posix_queues;
  KnownInit init;
  HostContext host_context;
};

// A captured tree that is still stopped.
struct WrittenTree {
  TreeImage image;
  PagesWriter pages;
  std::vector<MemoryPlan> plans;  // one for each process
};

// Requires: `facts` have no blockers.
Result<WrittenTree> capture_tree(const TreeFacts& facts, StoppedTree& stopped,
                                 const CaptureRequest& request, CaptureMemory& memory);
// Call when the image is complete; later images may then link to its pages.
void note_written(const TreeFacts& facts, const WrittenTree& written, MemoryWatches& watches);

}  // namespace sf::waypoint::native
