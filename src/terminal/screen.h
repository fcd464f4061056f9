// Screen: what a session's terminal shows, kept by a terminal emulator (libvterm) that runs only
// when somebody looks.
//
// feed() appends to a log; text() and scrollback() bring the emulator up to date with it. The state
// of a Screen is a function of its log alone, so save() writes the log and load(save()) shows the
// same. The log is bounded: beyond kMaxLog of new bytes it is replaced by a synthesized repaint of
// the same screen (docs/formats/screen.md). Queries in the stream (cursor position, device
// attributes) are answered when they are fed; the answers are part of the state until they are
// taken. Not thread-safe. No system calls.
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
  static constexpr std::size_t kMaxLog = 256UL << 10;    // bytes after the repaint, when saved
  static constexpr std::size_t kMaxPending = 1UL << 20;  // bytes the emulator has not seen

  // Sizes outside kMinSize..kMaxSize are moved to the nearest inside.
  explicit Screen(WindowSize size);
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;
  ~Screen();

  void feed(std::string_view raw);
  // Wrapped lines are wrapped anew; rows that no longer fit go to the scrollback: see reflow.h.
  void resize(WindowSize size);

  // What the program asked and the terminal has to type, in this order.
  const std::vector<std::string>& answers() const;
  // They were typed; whether the program has read them is not known.
  void note_answers_typed();
  // Those that were typed and are not known to be read, oldest first, only the last few.
  const std::vector<std::string>& typed_answers() const;
  void forget_answers();  // both kinds

  ScreenText text();
  TerminalModes modes();
  // The newest `max_lines` lines that left the screen at its top, oldest first.
  std::vector<std::string> scrollback(std::size_t max_lines);

  // The bytes that make a fresh terminal of this size show the same, scrollback excepted.
  std::string repaint();
  WindowSize size() const;

  std::string save();
  // Fails with kCorrupt on what save() of this version cannot have written.
  static Result<Screen> load(std::string_view saved);

 private:
  class Impl;
  explicit Screen(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sf::waypoint
