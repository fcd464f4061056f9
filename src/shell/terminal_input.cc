#include "shell/terminal_input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/terminal.h"
#include "shell/permitted_calls.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kLongestLine = 4095;  // N_TTY_BUF_SIZE - 1
// Less than the kernel keeps, so there is always room for an interrupt key.
constexpr std::size_t kInputWindow = 3584;
constexpr int kMaxWrites = 16;  // per call, so that the event loop can serve other descriptors

bool ends_line(char c, const termios& settings) {
  return c == '\n' || (c == '\r' && (settings.c_iflag & ICRNL) != 0);
}

bool is_canonical(const termios& settings) { return (settings.c_lflag & ICANON) != 0; }

// Whether this byte ends the partial line: a program can read the bytes before it, or the kernel
// has discarded them.
bool ends_part(char c, const termios& settings) {
  const auto key = static_cast<cc_t>(c);
  if (ends_line(c, settings)) return true;
  if (key == _POSIX_VDISABLE) return false;
  if (key == settings.c_cc[VEOF] || key == settings.c_cc[VEOL] || key == settings.c_cc[VEOL2])
    return true;
  return signal_keys({&c, 1}, settings).end > 0;
}

std::string part_of_line(const os::TypedAhead& typed) {
  const std::size_t last_end = typed.ends.empty() ? 0 : typed.ends.back();
  return typed.bytes.substr(std::max(typed.bytes.rfind('\n') + 1, last_end));
}

}  // namespace

SignalKeys signal_keys(std::string_view typed, const termios& settings) {
  SignalKeys found;
  if ((settings.c_lflag & ISIG) == 0) return found;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const auto key = static_cast<cc_t>(typed[i]);
    if (key == _POSIX_VDISABLE) continue;
    if (key != settings.c_cc[VINTR] && key != settings.c_cc[VQUIT] && key != settings.c_cc[VSUSP])
      continue;
    found.end = i + 1;
    found.keys += typed[i];
  }
  return found;
}

std::size_t longest_line(std::string_view typed, const termios& settings, std::size_t before) {
  std::size_t longest = 0;
  std::size_t line = before;
  for (char c : typed) {
    line = ends_line(c, settings) ? 0 : line + 1;
    longest = std::max(longest, line);
  }
  return longest;
}

Status TerminalInput::type(const ChangePermit& permit, std::string_view keys) {
  auto settings = os::terminal_settings(master_);
  if (!settings) return queue_.push(keys);
  // If a complete line waits, the keys may be for a later program, which may read single keys.
  const std::string_view waiting = queue_.front(queue_.size());
  const bool joins = std::ranges::none_of(waiting, [&](char c) { return ends_line(c, *settings); });
  const std::size_t longest = longest_line(keys, *settings, line_.size() + waiting.size());
  if (joins && (settings->c_lflag & ICANON) != 0 && longest > kLongestLine)
    return invalid("a line of " + std::to_string(longest) +
                       " bytes is too long: a terminal in canonical mode keeps at most 4095. "
                       "Nothing was typed",
                   "write the text to a file of the session; or, if it is for a program that reads "
                   "single keys, type it when that program runs");
  const SignalKeys signals = signal_keys(keys, *settings);
  if (!waits() || signals.end == 0) return queue_.push(keys);
  InputQueue after(kMaxQueuedInput);
  if ((settings->c_lflag & NOFLSH) != 0) {
    std::string others(keys.substr(0, signals.end));
    for (char key : signals.keys) std::erase(others, key);
    SF_TRY(after.push(queue_.content()));
    SF_TRY(after.push(others + std::string(keys.substr(signals.end))));
  } else {
    SF_TRY(after.push(keys.substr(signals.end)));
  }
  SF_TRY(write_terminal(permit, master_, signals.keys));
  queue_ = std::move(after);
  if ((settings->c_lflag & NOFLSH) == 0) {  // the kernel discards its unread input
    unread_ = 0;
    line_.clear();
  }
  return Ok{};
}

std::string TerminalInput::write_some(const ChangePermit& /*permit*/) {
  std::string written;
  for (int i = 0; i < kMaxWrites && waits(); ++i) {
    std::string_view piece = queue_.front(room());
    if (piece.empty()) break;
    ssize_t n = ::write(master_, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // EAGAIN: full; only possible if room() could not ask the kernel
    piece = piece.substr(0, static_cast<std::size_t>(n));
    note_written(piece);
    written += piece;
    queue_.pop(piece.size());
  }
  return written;
}

// How many of the queued bytes may be written now.
std::size_t TerminalInput::room() {
  auto settings = os::terminal_settings(master_);
  auto readable = os::has_typed(master_);
  if (!settings || !readable) return kInputWindow;
  settings_ = *settings;
  if (!*readable) unread_ = is_canonical(settings_) ? line_.size() : 0;
  if (unread_ < kInputWindow) return kInputWindow - unread_;
  if (*readable) return 0;
  // The kernel has only a partial line, so write the rest of the line. If the line is too long, the
  // kernel drops its end, as on any terminal.
  std::string_view next = queue_.front(kInputWindow);
  auto end = std::ranges::find_if(next, [&](char c) { return ends_line(c, *settings); });
  return end == next.end() ? next.size() : static_cast<std::size_t>(end - next.begin()) + 1;
}

void TerminalInput::note_written(std::string_view text) {
  unread_ += text.size();
  line_ += text;
  const auto end = std::find_if(line_.rbegin(), line_.rend(),
                                [this](char c) { return ends_part(c, settings_); });
  line_.erase(line_.begin(), end.base());
  if (!is_canonical(settings_)) line_.clear();  // each key can be read
}

// Discards the partial line instead of reading it: it can be read only with canonical mode off, and
// then the shell would read it first. Its text is known, since this class has written it.
void TerminalInput::take_part_of_line(const ChangePermit& permit, Part part) {
  drop_typed(permit, master_);
  if (part == Part::kTypeAgain) queue_.put_first(line_);
  unread_ = 0;
  line_.clear();
}

void TerminalInput::look_at_part_of_line() {
  auto typed = look_at_typed(master_);
  if (!typed) return;
  if (auto settings = os::terminal_settings(master_)) settings_ = *settings;
  line_ = is_canonical(settings_) ? part_of_line(*typed) : std::string();
}

void TerminalInput::adopt(const std::string& waiting, const os::TypedAhead& unread) {
  (void)queue_.push(waiting);  // fits: it was saved from a queue of the same capacity
  unread_ = unread.bytes.size();
  if (auto settings = os::terminal_settings(master_)) settings_ = *settings;
  if (is_canonical(settings_)) line_ = part_of_line(unread);
}

}  // namespace sf::waypoint
