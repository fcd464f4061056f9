// The screen and output of a branch's terminal, and the fate of keys typed into it; all layers use
// these structs. Plain data, and the port for watching a terminal.
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
  bool alternate_screen = false;  // a full-screen program is running
  std::string title;
  WindowSize size;
  std::vector<std::string> scrollback = {};  // lines above the rows, oldest first; on request
  friend bool operator==(const ScreenText&, const ScreenText&) = default;
};

// Result of typing keys.
struct TypedKeys {
  std::size_t accepted = 0;  // bytes: all that were sent
  std::size_t waiting = 0;  // bytes, earlier ones included, until the program in the terminal reads
};

// A piece of a terminal's output.
struct TerminalPiece {
  std::string bytes;
  // Set if the bytes repaint a whole cleared terminal of this size: the first piece, and after a
  // resize.
  std::optional<WindowSize> repaints = {};
  bool is_restored = false;  // a repaint because the branch was restored to another node
};

class TerminalFeed {  // Not thread-safe.
 public:
  virtual ~TerminalFeed() = default;
  // nullopt if nothing arrives before the deadline. The first piece is a repaint. Fails with
  // kSessionLost if the branch is gone or the caller reads too slowly.
  virtual Result<std::optional<TerminalPiece>> next(Deadline deadline) = 0;
};

}  // namespace sf
