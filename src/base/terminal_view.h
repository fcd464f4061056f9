// What a branch's terminal shows and prints, and what became of keys typed into it: the same in
// every layer. Plain data, and the port for watching.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf {

struct WindowSize {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};

struct ScreenText {
  std::vector<std::string>
      rows;            // UTF-8, blanks at the right end removed; always size.rows of them
  int cursor_row = 0;  // from 0
  int cursor_col = 0;  // from 0
  bool cursor_visible = true;
  bool alternate_screen = false;  // a full-screen program has taken over
  std::string title;
  WindowSize size;
  std::vector<std::string> scrollback = {};  // lines above the rows, oldest first; on request
  friend bool operator==(const ScreenText&, const ScreenText&) = default;
};

// What became of typed keys.
struct TypedKeys {
  std::size_t accepted = 0;  // bytes: all that were given
  std::size_t waiting = 0;  // bytes, earlier ones included, until the program in the terminal reads
};

// What a terminal prints.
struct TerminalPiece {
  std::string bytes;
  // Set where the bytes paint all of a cleared terminal of this size: at first, and after a resize.
  std::optional<WindowSize> repaints = {};
  bool is_restored = false;  // a repaint because the branch went back to another node
};

class TerminalFeed {  // One caller at a time.
 public:
  virtual ~TerminalFeed() = default;
  // Nothing: none before the deadline. The first one is a repaint. kSessionLost: the branch is
  // gone, or the caller was too slow.
  virtual Result<std::optional<TerminalPiece>> next(Deadline deadline) = 0;
};

}  // namespace sf
