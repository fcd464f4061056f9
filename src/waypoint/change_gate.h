// ChangeGate: the one way to change a live branch from outside.
//
// A keeper may capture its branch ahead of time and keep it stopped until a checkpoint is asked for
// (capture_ahead.h). That capture must be discarded before anything changes the branch. So every
// call that types, starts a program, resizes the window or writes a file takes a ChangePermit, and
// only ChangeGate::open() makes one, after it has discarded the capture:
//
//   SF_TRY(host.write_file(gate.open(), path, content));
//
// A permit is valid for the call that it is passed to. It cannot be copied or kept.
#pragma once

#include <functional>
#include <utility>

namespace sf::waypoint {

class ChangePermit {
 public:
  ChangePermit(const ChangePermit&) = delete;
  ChangePermit& operator=(const ChangePermit&) = delete;

 private:
  friend class ChangeGate;
  explicit ChangePermit(int /*only the gate*/) {}
};

class ChangeGate {
 public:
  // `discard`: ends what was captured ahead of time. A branch that is never captured ahead of time
  // needs none.
  explicit ChangeGate(std::function<void()> discard = {}) : discard_(std::move(discard)) {}
  ChangeGate(const ChangeGate&) = delete;
  ChangeGate& operator=(const ChangeGate&) = delete;

  ChangePermit open() {
    if (discard_) discard_();
    return ChangePermit(0);
  }

 private:
  std::function<void()> discard_;
};

}  // namespace sf::waypoint
