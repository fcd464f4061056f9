// RawTerminal: this process's terminal, in raw mode while it is attached to a branch.
//
// Input that was typed for the branch must not reach the host's shell, which would run it. So
// pending input is discarded before the terminal is given back.
#pragma once

#include <termios.h>

#include <string_view>

#include "base/result.h"
#include "cli/daemon/typed_input.h"

namespace sf::cli {

// Resets modes that a program may have set: the alternate screen, attributes, margins, a hidden
// cursor, key and mouse reports, bracketed paste.
inline constexpr std::string_view kUsualModes =
    "\x1b[?1049l\x1b[?1047l\x1b[?47l"                                // the ordinary screen
    "\x1b[!p\x1b[0m\x1b[r\x1b(B\x0f\x1b[4l\x1b[?5l\x1b[?6l\x1b[?7h"  // soft reset, and what some
                                                                     // leave out
    "\x1b[?25h\x1b[0 q"                                              // the cursor
    "\x1b[?1l\x1b>\x1b[>4m\x1b[=0u"                                  // keys
    "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l"           // the mouse
    "\x1b[?1005l\x1b[?1006l\x1b[?1007l\x1b[?1015l\x1b[?1016l"
    "\x1b[?1004l\x1b[?2004l\x1b[?2026l";  // focus, pastes, held output

// Resets the colours that a program may have set. Not part of kUsualModes: it also resets the
// user's own colours, so it is written only if a program set some.
inline constexpr std::string_view kUsualColours =
    "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]117\x1b\\\x1b]119\x1b\\";

class RawTerminal {
 public:
  static Result<RawTerminal> enter();
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();  // restores the settings and discards unread input

  // The link ends because a person typed the detach key, or at any other moment.
  enum class Ending { kByKey, kBroken };
  // Discards input until no more arrives, since a paste arrives in pieces. Returns the number of
  // discarded bytes.
  std::size_t discard_typed(TypedInput& input, Ending ending) const;
  // Output was written, so leave_modes() must reset the modes.
  void note_shown() { shown_ = true; }
  void leave_modes();
  // A program set colours, so leave_modes() must reset them, too.
  void note_colours() { coloured_ = true; }
  // Restores the settings and discards unread input, while another program has the terminal.
  void lend();
  // Saves the current settings and sets raw mode again. Stops this process while it is in the
  // background.
  Status take_back();

 private:
  explicit RawTerminal(const termios& before) : before_(before) {}
  termios before_;
  bool active_ = true;
  bool shown_ = false;
  bool coloured_ = false;
};

}  // namespace sf::cli
