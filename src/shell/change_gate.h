// ChangeGate: the one way to change a live branch from outside.
//
// A keeper may capture its branch ahead of time and keep it stopped until a checkpoint is asked for
// (precapture.h). That capture must be discarded before anything changes the branch. So every
// call that types, starts a program, resizes the window or writes a file takes a ChangePermit, and
// only ChangeGate::open() makes one, after it has discarded the capture:
//
//   SF_TRY(host.write_file(gate.open(), path, content));
//
// The inner means take one, too: ShellChannel, TerminalInput, SideCommands, permitted_calls.h. So
// what is done later, when a timer or an event of the branch calls for it, passes the gate again.
//
// A permit is good for the one call that it is passed to: pass gate.open() itself. It cannot be
// copied, moved or assigned. Do not give it a name: the next capture may be made while it is there.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/check.h"

namespace sf::waypoint {

class [[nodiscard]] ChangePermit {
 public:
  ChangePermit(const ChangePermit&) = delete;
  ChangePermit& operator=(const ChangePermit&) = delete;

 private:
  friend class ChangeGate;
  explicit ChangePermit(int /*only the gate*/) {}
};

class ChangeGate {
 public:
  // `discard`: ends what was captured ahead of time. Requires: it is not empty.
  explicit ChangeGate(std::function<void()> discard) : discard_(std::move(discard)) {
    SF_CHECK(discard_ != nullptr);
  }
  // For a branch that is captured from outside alone, never ahead of time: the agent's.
  static ChangeGate of_agent() {
    return ChangeGate([] {});
  }
  ChangeGate(const ChangeGate&) = delete;
  ChangeGate& operator=(const ChangeGate&) = delete;

  ChangePermit open() {
    ++openings_;
    discard_();
    return ChangePermit(0);
  }
  // How often it was opened: if the number is the same, nothing came in between.
  std::uint64_t openings() const { return openings_; }

 private:
  std::function<void()> discard_;
  std::uint64_t openings_ = 0;
};

}  // namespace sf::waypoint
