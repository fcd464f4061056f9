// TerminalInput: writes typed keys to the terminal as fast as the programs in the terminal read
// them.
//
// The kernel keeps 4095 bytes of typed input. It echoes them, acts on an interrupt key among them,
// and returns them for a checkpoint. None of this is possible for bytes beyond that. So this class
// never gives the kernel more than 4095 unread bytes. The rest waits in a queue, which a checkpoint
// saves, too. Event-driven; no function here blocks.
#pragma once

#include <termios.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/terminal.h"
#include "shell/change_gate.h"
#include "shell/input_queue.h"

namespace sf::waypoint {

class TerminalInput {
 public:
  explicit TerminalInput(int master) : master_(master) {}

  // Queues all keys or none; write_some() writes them. An interrupt key (by the terminal's current
  // settings) does not wait behind queued keys: it is written now, and discards them, as the kernel
  // discards unread input.
  Status type(const ChangePermit& permit, std::string_view keys);
  // Queues the keys while nothing may be written. An interrupt key keeps its place in the queue.
  Status hold(const ChangePermit& /*permit*/, std::string_view keys) { return queue_.push(keys); }
  // Writes the bytes that the terminal accepts now, and returns them.
  std::string write_some(const ChangePermit& permit);

  bool waits() const { return !queue_.empty(); }
  std::size_t waiting_bytes() const { return queue_.size(); }
  std::string waiting() const { return queue_.content(); }
  // Continues from a checkpoint. `waiting`: the saved queue. `unread`: what the terminal held.
  void adopt(const std::string& waiting, const os::TypedAhead& unread);
  // Drops the queue: its keys were typed for a shell that has ended.
  void discard(const ChangePermit& /*permit*/) { queue_.clear(); }
  void take_back(const ChangePermit& /*permit*/, char key) { queue_.erase(key); }
  // Whether the terminal has a partial line, which no program can read before its end is typed.
  bool has_part_of_line() const { return !line_.empty(); }
  // Removes the partial line from the terminal, and types it again before the queue, or drops it.
  // Requires: the terminal has no complete line that a program could read.
  enum class Part { kTypeAgain, kDrop };
  void take_part_of_line(const ChangePermit& permit, Part part);
  // Reads from the terminal which partial line it has, because a program may have changed it.
  // Requires: no process reads during the call.
  void look_at_part_of_line();

 private:
  std::size_t room();
  void note_written(std::string_view text);

  int master_;
  InputQueue queue_{kMaxQueuedInput};
  std::size_t unread_ = 0;  // upper bound of the written bytes that no program has read
  std::string line_;        // the partial line at their end
  termios settings_{};      // the terminal's settings when they were last read
};

// The keys that are signals to a terminal with these settings, and the position after the last one.
// Pure.
struct SignalKeys {
  std::size_t end = 0;
  std::string keys;
};
SignalKeys signal_keys(std::string_view typed, const termios& settings);

// The length of the longest line without its line end. `before`: bytes of the first line that come
// before `typed`. Pure.
std::size_t longest_line(std::string_view typed, const termios& settings, std::size_t before = 0);

}  // namespace sf::waypoint
