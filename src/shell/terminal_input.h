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
#include "os/terminal.h"
#include "shell/change_gate.h"
#include "shell/input_queue.h"

namespace sf::waypoint {

class TerminalInput {
 public:
  explicit TerminalInput(int master) : master_(master) {}

  // Takes all of it or nothing. Does not write; write_some() does. An interrupt key (as the
  // terminal has it set now) does not wait behind what the terminal has not taken: the kernel
  // discards unread input when it meets one, and so does this.
  Status type(const ChangePermit& permit, std::string_view keys);
  // The same while nothing may be written: all keys keep their order.
  Status hold(const ChangePermit& /*permit*/, std::string_view keys) { return queue_.push(keys); }
  // Writes what the terminal takes now. Returns it.
  std::string write_some(const ChangePermit& permit);

  bool waits() const { return !queue_.empty(); }
  std::size_t waiting_bytes() const { return queue_.size(); }
  std::string waiting() const { return queue_.content(); }
  // Continues with what waited at a snapshot, behind what the terminal had already.
  void adopt(const std::string& waiting, const os::TypedAhead& unread);
  // What was typed for a shell that has ended.
  void discard(const ChangePermit& /*permit*/) { queue_.clear(); }
  void take_back(const ChangePermit& /*permit*/, char key) { queue_.erase(key); }
  // A line was begun that no program can read before its end is typed.
  bool has_part_of_line() const { return !line_.empty(); }
  // Takes that part away from the terminal. It is typed again before what waits, or dropped.
  // Requires: no whole line is there that a program could read.
  enum class Part { kTypeAgain, kDrop };
  void take_part_of_line(const ChangePermit& permit, Part part);
  // Asks the terminal which part of a line it has: programs may have taken it in other ways.
  // Requires: nobody reads meanwhile.
  void look_at_part_of_line();

 private:
  std::size_t room();
  void note_written(std::string_view text);

  int master_;
  InputQueue queue_{kMaxQueuedInput};
  std::size_t unread_ = 0;  // at most so many bytes that were written have not been read
  std::string line_;        // of these, the last ones, if they are the beginning of a line
  termios settings_{};      // of the terminal, when it was last looked at
};

// Which of these keys are signals to a terminal with these settings: the position after the last
// one, and all of them. Pure.
struct SignalKeys {
  std::size_t end = 0;
  std::string keys;
};
SignalKeys signal_keys(std::string_view typed, const termios& settings);

// The length of the longest line, without its end, if so many bytes stand before it. Pure.
std::size_t longest_line(std::string_view typed, const termios& settings, std::size_t before = 0);

}  // namespace sf::waypoint
