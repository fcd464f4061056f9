// ChangeGate: every change that a keeper makes to its live branch passes through it.
//
// A keeper may precapture its branch and keep it stopped until a checkpoint is requested
// (precapture.h). The precapture must be discarded before anything changes the branch. So every
// call that types, starts a program, resizes the window or writes a file takes a ChangePermit. Only
// ChangeGate::open() makes one, after it has discarded the precapture.
// Example (src/shell/change_gate_test.cc):
//
//   ChangeGate gate([&] { ++discarded; });
//   EXPECT_EQ(discarded_at(gate.open(), discarded), 1);
//
// The lower layers take a permit, too: ShellChannel, TerminalInput, SideCommands,
// permitted_calls.h. So code that runs later, from a timer or an event of the branch, must open the
// gate again.
//
// A permit is valid for one call: pass gate.open() itself. It cannot be copied, moved or assigned.
// Do not store it in a variable: the next precapture may be made during its lifetime.
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
  // `discard`: discards the precapture. Requires: `discard` is not empty.
  explicit ChangeGate(std::function<void()> discard) : discard_(std::move(discard)) {
    SF_CHECK(discard_ != nullptr);
  }
  // For the agent's branch, which has no precapture: its substrate captures it.
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
  // How often the gate was opened. If two results are equal, nothing changed the branch in between.
  std::uint64_t openings() const { return openings_; }

 private:
  std::function<void()> discard_;
  std::uint64_t openings_ = 0;
};

}  // namespace sf::waypoint
