#include "cli/daemon/terminal_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "cli/daemon/raw_terminal.h"
#include "cli/daemon/typed_input.h"
#include "os/error.h"
#include "os/file.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

constexpr std::string_view kClear = "\x1b[H\x1b[2J";
constexpr std::size_t kMaxPending = 64U << 10U;  // typed bytes that the branch has not accepted yet
constexpr auto kFirstRetry = milliseconds(10);   // after a full queue
constexpr auto kLastRetry = milliseconds(200);
constexpr auto kPasteGap = seconds(5);  // longest pause within a paste
constexpr std::string_view kPasteEnd = "\x1b[201~";
// A paste without bracketed-paste marks is a burst of more bytes than a person or a script types as
// one line.
constexpr std::size_t kUnmarkedPaste = 64;
constexpr auto kUnmarkedGap = milliseconds(100);  // longest pause within a burst
constexpr auto kUnmarkedEnd = milliseconds(500);  // pause that ends an unmarked paste
constexpr std::string_view kRefused =
    "\a\r\n[statefork: a pasted line is longer than the 4095 bytes that the program's terminal "
    "keeps; this part of the paste and all that follows are discarded]\r\n";

class Link {
 public:
  Link(const ApiClient& client, std::string branch_path, char detach_key)
      : client_(client), path_(std::move(branch_path)), input_(detach_key) {}

  Result<LinkEnd> run() {
    SF_TRY_ASSIGN(os::UniqueFd signals, take_signals());
    ended_ = os::UniqueFd(::eventfd(0, EFD_CLOEXEC));
    repainted_ = os::UniqueFd(::eventfd(0, EFD_CLOEXEC));
    if (!ended_.valid() || !repainted_.valid()) return os::last_error("watching the terminal");
    SF_TRY_ASSIGN(RawTerminal raw, RawTerminal::enter());
    Result<LinkEnd::Why> why = begin();
    if (why.ok()) {
      raw.note_shown();
      begin_output();
      why = type(signals.get(), raw);
      end_output(raw);
      if (why.ok() && *why == LinkEnd::Why::kBranchEnded && !shown_.ok()) why = shown_.error();
    }
    const bool by_key = why.ok() && *why == LinkEnd::Why::kDetached;
    raw.leave_modes();  // otherwise mouse reports would count as typed bytes
    const std::size_t discarded =
        dropped_ + pending_.size() + behind_ +
        raw.discard_typed(input_, by_key && behind_ == 0 ? RawTerminal::Ending::kByKey
                                                         : RawTerminal::Ending::kBroken);
    if (why.ok()) return LinkEnd{*why, discarded};
    Error error = std::move(why).error();
    if (discarded > 0)
      error.message += "; " + std::to_string(discarded) +
                       " bytes that were typed were discarded here and not run on this host";
    return error;
  }

 private:
  static Result<os::UniqueFd> take_signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int number : {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT})
      sigaddset(&wanted, number);
    ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
    os::UniqueFd signals(::signalfd(-1, &wanted, SFD_CLOEXEC));
    if (!signals.valid()) return os::last_error("watching for signals");
    return signals;
  }

  Result<LinkEnd::Why> begin() {
    SF_TRY(send_size());
    SF_TRY(ask_for_prompt());
    return LinkEnd::Why::kDetached;
  }

  // Sends no keys. An idle shell then prints its prompt, now and after each command of other
  // clients.
  Status ask_for_prompt() {
    SF_TRY(client_.post(path_ + "/keys", {{"keys", ""}}));
    return Ok{};
  }

  // The daemon repainted the branch. After a restore the shell is another one, so discard the input
  // that was typed for the old one.
  void on_repaint() {
    std::uint64_t count = 0;
    (void)!::read(repainted_.get(), &count, sizeof count);
    if (restored_.exchange(false)) {
      const bool is_unmarked =
          !pending_.empty() || (burst_ > kUnmarkedPaste && !burst_end_.passed());
      dropped_ += std::exchange(pending_, {}).size();
      if (input_.in_paste() || is_unmarked) skip_paste();
    }
    (void)ask_for_prompt();  // if the branch or the daemon is gone, show() reports it
  }

  // Discards the rest of the paste: up to its end mark or, without marks, until a pause.
  void skip_paste() {
    has_begun_ = false;
    skips_paste_ = input_.in_paste();
    if (!skips_paste_) unmarked_end_ = Deadline::after(kUnmarkedEnd);
  }
  bool skips() const { return skips_paste_ || !unmarked_end_.is_never(); }

  // Called when there is no input to read.
  void on_quiet() {
    if (paste_gap_.passed()) {
      const bool is_over = pending_.empty();
      if (is_over) input_.give_up_paste();
      paste_gap_ = is_over ? Deadline::never() : Deadline::after(kPasteGap);
      skips_paste_ = skips_paste_ && !is_over;
    }
    if (!unmarked_end_.passed()) return;
    unmarked_end_ = Deadline::never();
    skips_paste_ = input_.in_paste();  // its start mark was discarded
  }

  void begin_output() {
    gate_ = std::make_unique<ApiClient::Gate>();
    output_ = std::thread([this] { show(); });
  }

  // After this call no more output is shown.
  void end_output(RawTerminal& raw) {
    if (!output_.joinable()) return;
    gate_->close();
    output_.join();
    if (has_colours_) raw.note_colours();
  }

  // Gives the terminal back to the user's shell, as any stopped job does. Input that the branch did
  // not accept must not reach that shell.
  Status stop(RawTerminal& raw) {
    end_output(raw);
    raw.leave_modes();  // otherwise mouse reports would count as typed bytes
    const bool in_paste = input_.in_paste();
    const bool is_plain = !in_paste && pending_.empty();
    dropped_ += raw.discard_typed(
        input_, is_plain ? RawTerminal::Ending::kByKey : RawTerminal::Ending::kBroken);
    input_.give_up_paste();
    skips_paste_ = false;
    unmarked_end_ = paste_gap_ = Deadline::never();
    // The session may be restored while this process is stopped, so drop the pending input. Keep
    // only the end mark of a paste if its beginning was sent.
    dropped_ += std::exchange(pending_, std::string(in_paste ? kPasteEnd : "")).size();
    raw.lend();
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    (void)::raise(SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);  // this process stops here
    ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);
    return resume(raw);
  }

  // Another program may have written to the terminal while this one was stopped, also by SIGSTOP.
  // The new event stream begins with a repaint.
  Status resume(RawTerminal& raw) {
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGCONT);
    constexpr timespec kAtOnce{0, 0};
    (void)::sigtimedwait(&told, nullptr, &kAtOnce);
    SF_TRY(raw.take_back());
    std::uint64_t count = 0;
    if (is_ready(ended_.get())) (void)!::read(ended_.get(), &count, sizeof count);
    shown_ = Ok{};
    begin_output();
    return send_size();
  }

  static bool is_ready(int fd) {
    pollfd look{fd, POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
  }

  // Returns whether the link continues.
  Result<bool> on_signal(int signals, RawTerminal& raw) {
    signalfd_siginfo info{};
    (void)!::read(signals, &info, sizeof info);
    if (info.ssi_signo == SIGWINCH) {
      SF_TRY(send_size());
    } else if (info.ssi_signo == SIGTSTP) {
      SF_TRY(stop(raw));
    } else if (info.ssi_signo == SIGCONT) {
      end_output(raw);
      SF_TRY(resume(raw));
    } else {
      return false;
    }
    return true;
  }

  // Sends keys and window sizes until the detach key or the end.
  Result<LinkEnd::Why> type(int signals, RawTerminal& raw) {
    Deadline retry = Deadline::never();
    milliseconds pause = kFirstRetry;
    for (;;) {
      // While the queue is full, do not read this terminal, so that the pasting program waits.
      const bool reads = pending_.size() < kMaxPending;
      pollfd watched[] = {{reads ? STDIN_FILENO : -1, POLLIN, 0},
                          {signals, POLLIN, 0},
                          {ended_.get(), POLLIN, 0},
                          {repainted_.get(), POLLIN, 0}};
      const Deadline wake = retry.min(paste_gap_).min(unmarked_end_);
      const int ready = ::poll(watched, std::size(watched), wake.poll_timeout_ms());
      if (ready < 0 && errno != EINTR) return os::last_error("waiting for keys");
      if (ready < 0) continue;
      if (watched[2].revents != 0) return LinkEnd::Why::kBranchEnded;
      if (watched[1].revents != 0) {
        SF_TRY_ASSIGN(bool goes_on, on_signal(signals, raw));
        if (!goes_on) return LinkEnd::Why::kSignal;
        continue;  // after a stop, earlier poll results are stale
      }
      if (watched[3].revents != 0) on_repaint();
      if (watched[0].revents == 0) on_quiet();
      bool detach = false;
      const bool typed = watched[0].revents != 0;
      if (typed) {
        SF_TRY_ASSIGN(detach, read_keys());
      }
      if (typed || retry.passed()) {
        SF_TRY_ASSIGN(bool delivered, deliver());
        retry = delivered ? Deadline::never() : Deadline::after(pause);
        pause = delivered ? kFirstRetry : std::min<milliseconds>(pause * 2, kLastRetry);
      }
      if (typed) burst_end_ = Deadline::after(kUnmarkedGap);  // the time to deliver is no pause
      if (detach) return LinkEnd::Why::kDetached;
    }
  }

  // Returns true at the detach key, or if this terminal was closed.
  Result<bool> read_keys() {
    char keys[4096];
    ssize_t n = ::read(STDIN_FILENO, keys, sizeof keys);
    if (n <= 0) return true;
    burst_ = (burst_end_.passed() ? 0 : burst_) + static_cast<std::size_t>(n);
    TypedInput::Taken taken = input_.take({keys, static_cast<std::size_t>(n)});
    // Input after the rest of the paste is for the new shell.
    const bool ends_skipping = skips_paste_ && taken.paste_end > 0;
    const std::size_t skipped = ends_skipping ? taken.paste_end : taken.keys.size();
    if (skips()) {
      dropped_ += skipped;
      taken.keys.erase(0, skipped);
    }
    pending_ += taken.keys;
    skips_paste_ = skips_paste_ && !ends_skipping && input_.in_paste();
    if (!unmarked_end_.is_never()) unmarked_end_ = Deadline::after(kUnmarkedEnd);
    paste_gap_ = input_.in_paste() ? Deadline::after(kPasteGap) : Deadline::never();
    behind_ += taken.behind;
    return taken.detach;
  }

  // Returns false if the queue is full; then no byte was accepted.
  Result<bool> deliver() {
    if (pending_.empty()) return true;
    auto sent = client_.post(path_ + "/keys", {{"keys_base64", wire::to_base64(pending_)}});
    if (!sent.ok() && sent.error().code == ErrorCode::kBusy) return false;
    // A line longer than the terminal's line buffer is refused as a whole.
    const bool is_refused = !sent.ok() && sent.error().code == ErrorCode::kInvalidArgument;
    if (!sent.ok() && !is_refused) return std::move(sent).error();
    if (is_refused) {
      // If the program received the start mark of the paste, it waits for the end mark.
      const std::string_view end = has_begun_ ? kPasteEnd : "";
      dropped_ += std::exchange(pending_, std::string(end)).size();
      if (!skips()) (void)os::write_all(STDOUT_FILENO, kRefused);
      skip_paste();
      return pending_.empty();
    }
    pending_.clear();
    has_begun_ = input_.in_paste() && !skips();
    return true;
  }

  Status send_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
      return Ok{};
    SF_TRY(client_.post(path_ + "/resize", {{"rows", size.ws_row}, {"cols", size.ws_col}}));
    return Ok{};
  }

  void show() {
    auto end = client_.events(path_ + "/terminal", *gate_,
                              [this](const wire::ServerEvent& event) { return show_one(event); });
    if (!end) {
      shown_ = std::move(end).error();
    } else if (*end == ApiClient::StreamEnd::kBroken && shown_.ok()) {
      shown_ = fail(ErrorCode::kSessionLost, "the daemon ended; the branch may still be running",
                    "attach again: any command starts a new daemon");
    }
    std::uint64_t one = 1;
    (void)!::write(ended_.get(), &one, sizeof one);
  }

  Status show_one(const wire::ServerEvent& event) {
    if (event.name != "terminal") return Ok{};
    wire::Json data = wire::Json::parse(event.data, nullptr, false);
    if (!data.is_object() || !data.contains("raw_base64") || !data["raw_base64"].is_string())
      return fail(ErrorCode::kCorrupt, "the daemon sent an event that is not terminal output",
                  "check that client and daemon have the same version");
    SF_TRY_ASSIGN(std::string bytes, wire::from_base64(data["raw_base64"].get<std::string>()));
    const bool is_repaint = data.contains("repaint") && data["repaint"] == true;
    if (is_repaint) {
      std::string usual(kUsualModes);
      if (std::exchange(has_colours_, false)) usual += kUsualColours;
      bytes = usual + std::string(kClear) + bytes;
    }
    note_colours(bytes, is_repaint);
    // Set this before the repaint is shown, since a user may answer it immediately.
    if (is_repaint) {
      if (data.contains("restored") && data["restored"] == true) restored_ = true;
      const std::uint64_t one = 1;
      (void)!::write(repainted_.get(), &one, sizeof one);
    }
    SF_TRY(os::write_all(STDOUT_FILENO, bytes));
    return Ok{};
  }

  // Detects a program that sets colours (OSC 4, OSC 10 to 19). A sequence may be split.
  void note_colours(std::string_view bytes, bool is_repaint) {
    if (is_repaint) bytes.remove_prefix(bytes.find(kClear));
    const std::string seen = last_shown_ + std::string(bytes);
    for (std::size_t at = seen.find("\x1b]"); at != std::string::npos;
         at = seen.find("\x1b]", at + 1)) {
      const std::string_view number = std::string_view(seen).substr(at + 2, 3);
      const bool is_text = number.size() == 3 && number[0] == '1' && number[2] == ';';
      has_colours_ = has_colours_ || number.starts_with("4;") || is_text;
    }
    last_shown_ = seen.substr(seen.size() - std::min<std::size_t>(seen.size(), 4));
  }

  const ApiClient& client_;
  std::string path_;
  TypedInput input_;
  std::string pending_;       // typed, not accepted yet
  std::size_t behind_ = 0;    // bytes after the detach key
  std::size_t dropped_ = 0;   // discarded bytes
  bool skips_paste_ = false;  // the rest of a paste is discarded up to its end mark
  bool has_begun_ = false;    // the branch has received the start mark of a paste, not its end mark
  Deadline unmarked_end_ = Deadline::never();  // unless never: all input is discarded
  Deadline paste_gap_ = Deadline::never();     // when a marked paste is given up
  std::size_t burst_ = 0;                      // bytes typed without a pause
  Deadline burst_end_ = Deadline::never();     // input after it starts a new burst
  std::unique_ptr<ApiClient::Gate> gate_;
  std::thread output_;                  // runs show()
  bool has_colours_ = false;            // used by output_ while it runs
  std::string last_shown_;              // likewise; may end in the beginning of a sequence
  os::UniqueFd ended_;                  // readable: no more output follows
  os::UniqueFd repainted_;              // readable: the screen was repainted
  std::atomic<bool> restored_ = false;  // the repaint follows a restore
  Status shown_ = Ok{};
};

}  // namespace

Result<LinkEnd> link_terminal(const ApiClient& client, const std::string& branch_path,
                              char detach_key) {
  return Link(client, branch_path, detach_key).run();
}

}  // namespace sf::cli
