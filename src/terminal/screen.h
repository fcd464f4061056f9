// Screen: the contents of a branch's terminal. Its terminal emulator (libvterm) runs only when a
// caller reads the screen.
//
// feed() appends to a log; text() and scrollback() feed the log to the emulator. The state of a
// Screen depends only on its log, so save() writes the log, and load(save()) shows the same. The
// log is bounded: after kMaxLog new bytes it is replaced by a synthesized repaint of the same
// screen (docs/formats/screen.md). Queries in the stream (cursor position, device attributes) are
// answered when they are fed; the answers are part of the state until they are forgotten. Not
// thread-safe. No system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/request_limits.h"
#include "base/result.h"
#include "base/terminal_view.h"
#include "terminal/terminal_modes.h"

namespace sf::waypoint {

class Screen {
 public:
  static constexpr WindowSize kMinSize{1, 2};
  static constexpr WindowSize kMaxSize{500, 1000};
  static constexpr std::size_t kMaxScrollback = sf::kMaxScrollback;
  static constexpr std::size_t kMaxLog = 256UL << 10;    // bytes after the repaint in a save
  static constexpr std::size_t kMaxPending = 1UL << 20;  // bytes not fed to the emulator yet

  // Clamps the size to kMinSize..kMaxSize.
  explicit Screen(WindowSize size);
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;
  ~Screen();

  void feed(std::string_view raw);
  // Wraps lines again, and moves rows that no longer fit to the scrollback; see reflow.h.
  void resize(WindowSize size);

  // The answers to queries that must still be typed, oldest first.
  const std::vector<std::string>& answers() const;
  // Marks them as typed. The program may or may not have read them.
  void note_answers_typed();
  // The last few typed answers that the program may not have read, oldest first.
  const std::vector<std::string>& typed_answers() const;
  void forget_answers();  // both kinds

  ScreenText text();
  TerminalModes modes();
  // The newest `max_lines` lines that scrolled off the top of the screen, oldest first.
  std::vector<std::string> scrollback(std::size_t max_lines);

  // The bytes that make a new terminal of this size show the same, without the scrollback.
  std::string repaint();
  WindowSize size() const;

  std::string save();
  // kCorrupt: save() of this or an older version cannot have written `saved`.
  static Result<Screen> load(std::string_view saved);

 private:
  class Impl;
  explicit Screen(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::waypoint
