// TerminalInput: gives the terminal what was typed, as fast as the programs in the terminal read
// it.
//
// The kernel keeps 4095 bytes of typed input. It echoes them, acts on an interrupt among them, and
// gives them back for a snapshot. Bytes beyond that wait where none of this is possible, or are
// refused. So never more than those 4095 bytes are given to the kernel; the rest waits in a queue
// here, which belongs to the snapshot, too. Event-driven; nothing here blocks.
#pragma once

#include <termios.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "waypoint/input_queue.h"

namespace sf::waypoint {

class TerminalInput {
 public:
  explicit TerminalInput(int master) : master_(master) {}

  // Takes all of it or nothing. Does not write; write_some() does. An interrupt key (as the
  // terminal has it set now) does not wait behind what the terminal has not taken: the kernel
  // discards unread input when it meets one, and so does this.
  Status type(std::string_view keys);
  // The same while nothing may be written: all keys keep their order.
  Status hold(std::string_view keys) { return queue_.push(keys); }
  // Writes what the terminal takes now. Returns it.
  std::string write_some();

  bool waits() const { return !queue_.empty(); }
  std::size_t waiting_bytes() const { return queue_.size(); }
  std::string waiting() const { return queue_.content(); }
  // Continues with what waited at a snapshot; `unread` bytes of it the terminal had already.
  void adopt(const std::string& waiting, std::size_t unread);
  // What was typed for a shell that has ended.
  void discard() { queue_.clear(); }
  void take_back(char key) { queue_.erase(key); }

 private:
  std::size_t room();
  void note_written(std::string_view text);

  int master_;
  InputQueue queue_{kMaxQueuedInput};
  std::size_t unread_ = 0;  // at most so many bytes that were written have not been read
  std::size_t line_ = 0;    // of these, at most so many belong to a line without an end
};

// Which of these keys are signals to a terminal with these settings: the position after the last
// one, and all of them. Pure.
struct SignalKeys {
  std::size_t end = 0;
  std::string keys;
};
SignalKeys signal_keys(std::string_view typed, const termios& settings);

// The length of the longest line, without its end. Pure.
std::size_t longest_line(std::string_view typed, const termios& settings);

}  // namespace sf::waypoint
