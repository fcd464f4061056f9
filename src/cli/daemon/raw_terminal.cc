#include "cli/daemon/raw_terminal.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "os/file.h"
#include "os/terminal.h"

namespace sf::cli {
namespace {

constexpr std::string_view kBelowAll = "\x1b[999;1H\r\n";
// A person types slower than this: bytes that arrive sooner belong to a paste.
constexpr auto kKeyQuiet = milliseconds(100);
constexpr auto kPasteQuiet = milliseconds(500);
constexpr auto kBracketQuiet = seconds(5);    // an end mark follows, so wait longer for it
constexpr auto kMaxDiscarding = seconds(60);  // stops for a key that is held down

termios made_raw(termios settings) {
  ::cfmakeraw(&settings);
  return settings;
}

}  // namespace

Result<RawTerminal> RawTerminal::enter() {
  SF_TRY_ASSIGN(termios before, os::terminal_settings(STDIN_FILENO));
  SF_TRY(os::set_terminal_settings(STDIN_FILENO, made_raw(before)));
  return RawTerminal(before);
}

void RawTerminal::lend() {
  leave_modes();
  (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

Status RawTerminal::take_back() {
  SF_TRY_ASSIGN(termios now, os::terminal_settings(STDIN_FILENO));
  const bool is_raw = (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;  // no other program changed it
  if (!is_raw) before_ = now;
  SF_TRY(os::set_terminal_settings(STDIN_FILENO, made_raw(before_)));
  shown_ = true;
  return Ok{};
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : before_(other.before_),
      active_(std::exchange(other.active_, false)),
      shown_(other.shown_),
      coloured_(other.coloured_) {}

RawTerminal::~RawTerminal() {
  if (!active_) return;
  leave_modes();
  (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

void RawTerminal::leave_modes() {
  if (!std::exchange(shown_, false)) return;
  std::string usual(kUsualModes);
  if (std::exchange(coloured_, false)) usual += kUsualColours;
  (void)os::write_all(STDOUT_FILENO, usual + std::string(kBelowAll));
}

std::size_t RawTerminal::discard_typed(TypedInput& input, Ending ending) const {
  std::size_t discarded = 0;
  milliseconds quiet = ending == Ending::kByKey ? kKeyQuiet : kPasteQuiet;
  for (Deadline end = Deadline::after(kMaxDiscarding); !end.passed();) {
    const milliseconds patience = input.in_paste() ? kBracketQuiet : quiet;
    pollfd typed{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&typed, 1, Deadline::after(patience).min(end).poll_timeout_ms());
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    char bytes[4096];
    const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n <= 0) break;  // the terminal was closed
    (void)input.take({bytes, static_cast<std::size_t>(n)});
    discarded += static_cast<std::size_t>(n);
    quiet = kPasteQuiet;
  }
  return discarded;
}

}  // namespace sf::cli
