#include "cli/terminal_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "os/error.h"
#include "os/file.h"
#include "os/terminal.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

// Leaves what a program may have switched on: the other screen, attributes, margins, a hidden
// cursor, mouse reports, bracketed paste.
constexpr std::string_view kUsualModes =
    "\x1b[?1049l\x1b[!p\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l";
constexpr std::string_view kClear = "\x1b[H\x1b[2J";
constexpr std::string_view kBelowAll = "\x1b[999;1H\r\n";
constexpr std::size_t kMaxKeys = 2048;  // of one request

// Raw while it lives.
class RawTerminal {
 public:
  static Result<RawTerminal> enter() {
    SF_TRY_ASSIGN(termios before, os::terminal_settings(STDIN_FILENO));
    termios raw = before;
    ::cfmakeraw(&raw);
    SF_TRY(os::set_terminal_settings(STDIN_FILENO, raw));
    return RawTerminal(before);
  }
  RawTerminal(RawTerminal&& other) noexcept
      : before_(other.before_), active_(std::exchange(other.active_, false)) {}
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal() {
    if (!active_) return;
    std::string leave = std::string(kUsualModes) + std::string(kBelowAll);
    (void)os::write_all(STDOUT_FILENO, leave);
    (void)os::set_terminal_settings(STDIN_FILENO, before_);
  }

 private:
  explicit RawTerminal(const termios& before) : before_(before) {}
  termios before_;
  bool active_ = true;
};

class Link {
 public:
  Link(const ApiClient& client, std::string branch_path, char detach_key)
      : client_(client), path_(std::move(branch_path)), detach_key_(detach_key) {}

  Result<LinkEnd> run() {
    sigset_t resized;
    sigemptyset(&resized);
    sigaddset(&resized, SIGWINCH);
    ::pthread_sigmask(SIG_BLOCK, &resized, nullptr);
    os::UniqueFd signals(::signalfd(-1, &resized, SFD_CLOEXEC));
    ended_ = os::UniqueFd(::eventfd(0, EFD_CLOEXEC));
    if (!signals.valid() || !ended_.valid()) return os::last_error("watching the terminal");
    SF_TRY(send_size());
    SF_TRY_ASSIGN(RawTerminal raw, RawTerminal::enter());
    std::thread output([this] { show(); });
    Result<LinkEnd> end = type(signals.get());
    gate_.close();
    output.join();
    if (end.ok() && *end == LinkEnd::kBranchEnded && !shown_.ok()) return shown_.error();
    return end;
  }

 private:
  // Keys and sizes there, until the detach key or the end.
  Result<LinkEnd> type(int signals) {
    pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {signals, POLLIN, 0}, {ended_.get(), POLLIN, 0}};
    for (;;) {
      if (::poll(watched, std::size(watched), -1) < 0) {
        if (errno == EINTR) continue;
        return os::last_error("waiting for keys");
      }
      if (watched[2].revents != 0) return LinkEnd::kBranchEnded;
      if (watched[1].revents != 0) {
        signalfd_siginfo info{};
        (void)!::read(signals, &info, sizeof info);
        SF_TRY(send_size());
      }
      if (watched[0].revents == 0) continue;
      char keys[kMaxKeys];
      ssize_t n = ::read(STDIN_FILENO, keys, sizeof keys);
      if (n <= 0) return LinkEnd::kDetached;  // our terminal is gone
      std::string_view typed(keys, static_cast<std::size_t>(n));
      std::size_t detach = typed.find(detach_key_);
      typed = typed.substr(0, detach);
      if (!typed.empty())
        SF_TRY(client_.post(path_ + "/keys", {{"keys_base64", wire::to_base64(typed)}}));
      if (detach != std::string_view::npos) return LinkEnd::kDetached;
    }
  }

  Status send_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
      return Ok{};
    SF_TRY(client_.post(path_ + "/resize", {{"rows", size.ws_row}, {"cols", size.ws_col}}));
    return Ok{};
  }

  void show() {
    auto end = client_.events(path_ + "/terminal", gate_,
                              [this](const wire::ServerEvent& event) { return show_one(event); });
    if (!end) {
      shown_ = std::move(end).error();
    } else if (*end == ApiClient::StreamEnd::kBroken && shown_.ok()) {
      shown_ = fail(ErrorCode::kSessionLost, "the daemon is gone; the branch may live on",
                    "attach again: the first command starts a new daemon");
    }
    std::uint64_t one = 1;
    (void)!::write(ended_.get(), &one, sizeof one);
  }

  Status show_one(const wire::ServerEvent& event) {
    if (event.name != "terminal") return Ok{};
    wire::Json data = wire::Json::parse(event.data, nullptr, false);
    if (!data.is_object() || !data.contains("raw_base64") || !data["raw_base64"].is_string())
      return fail(ErrorCode::kCorrupt, "the daemon sent something else than a terminal's bytes");
    SF_TRY_ASSIGN(std::string bytes, wire::from_base64(data["raw_base64"].get<std::string>()));
    if (data.contains("repaint") && data["repaint"] == true)
      bytes = std::string(kUsualModes) + std::string(kClear) + bytes;
    return os::write_all(STDOUT_FILENO, bytes);
  }

  const ApiClient& client_;
  std::string path_;
  char detach_key_;
  ApiClient::Gate gate_;
  os::UniqueFd ended_;  // readable: nothing more will be shown
  Status shown_ = Ok{};
};

}  // namespace

Result<LinkEnd> link_terminal(const ApiClient& client, const std::string& branch_path,
                              char detach_key) {
  return Link(client, branch_path, detach_key).run();
}

}  // namespace sf::cli
