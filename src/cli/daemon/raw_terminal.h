// RawTerminal: this process's terminal, raw while it is joined to a branch's.
//
// What was typed for the branch and cannot go there must not reach the program that gets the
// terminal next: that is the host's shell, and it would run it. So whoever ends discards first.
#pragma once

#include <termios.h>

#include <string_view>

#include "base/result.h"
#include "cli/daemon/typed_input.h"

namespace sf::cli {

// Leaves what a program may have switched on: the other screen, attributes, margins, a hidden
// cursor, keys and clicks that are reported in other ways, bracketed paste.
inline constexpr std::string_view kUsualModes =
    "\x1b[?1049l\x1b[?1047l\x1b[?47l"                                // the ordinary screen
    "\x1b[!p\x1b[0m\x1b[r\x1b(B\x0f\x1b[4l\x1b[?5l\x1b[?6l\x1b[?7h"  // soft reset, and what some
                                                                     // leave out
    "\x1b[?25h\x1b[0 q"                                              // the cursor
    "\x1b[?1l\x1b>\x1b[>4m\x1b[=0u"                                  // keys
    "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l"           // the mouse
    "\x1b[?1005l\x1b[?1006l\x1b[?1007l\x1b[?1015l\x1b[?1016l"
    "\x1b[?1004l\x1b[?2004l\x1b[?2026l";  // focus, pastes, held output

// Resets the colours that a program may have set. Not part of the usual modes: it also undoes what
// a person has set, so it is written only if a program did set some.
inline constexpr std::string_view kUsualColours =
    "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]117\x1b\\\x1b]119\x1b\\";

class RawTerminal {
 public:
  static Result<RawTerminal> enter();
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();  // as it was, without what was typed and not read

  // How the link ends: by a person who pressed a key, or while something may be under way.
  enum class Ending { kByKey, kBroken };
  // Reads and drops what was typed, until nothing more comes: the rest of a paste arrives in
  // pieces. Returns the number of bytes.
  std::size_t discard_typed(TypedInput& input, Ending ending) const;
  // Something was shown here: modes are to be left when it ends.
  void note_shown() { shown_ = true; }
  void leave_modes();
  // Colours were set here: they are reset with the modes.
  void note_colours() { coloured_ = true; }
  // For a while it is another's: as it was, without what was typed and not read.
  void lend();
  // And raw again; how the other has left it is how it was. Stops this process while it is in the
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
