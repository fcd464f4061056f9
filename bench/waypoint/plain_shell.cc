#include "plain_shell.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include "os/error.h"
#include "os/file.h"
#include "os/socket.h"
#include "os/terminal.h"

namespace sf::bench {
namespace {

constexpr std::string_view kPrompt = "@next@";
constexpr auto kTimeout = seconds(10);

}  // namespace

Result<PlainShell> PlainShell::start() {
  SF_TRY_ASSIGN(os::UniqueFd master, os::open_terminal_master("/dev/pts"));
  SF_TRY(os::set_window_size(master.get(), 40, 160));
  os::UniqueFd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave.valid()) return os::last_error("opening a terminal");
  // The same shell as in a branch; setsid makes this its controlling terminal.
  SF_TRY_ASSIGN(
      os::Child bash,
      os::spawn({.argv = {"/usr/bin/setsid", "--ctty", "/bin/bash", "--noprofile", "--norc",
                          "--noediting", "-i"},
                 .env = {"PATH=/usr/bin:/bin", "TERM=dumb", "PS1=" + std::string(kPrompt)},
                 .pass_fds = {{slave.get(), 0}, {slave.get(), 1}, {slave.get(), 2}}}));
  PlainShell shell(std::move(master), std::move(bash));
  SF_TRY(shell.wait_for_prompt());
  return shell;
}

Result<microseconds> PlainShell::run(std::string_view command) {
  Stopwatch watch;
  SF_TRY(os::write_all(master_.get(), std::string(command) + "\n"));
  SF_TRY(wait_for_prompt());
  return watch.elapsed();
}

Status PlainShell::wait_for_prompt() {
  std::string seen;
  Deadline deadline = Deadline::after(kTimeout);
  while (!seen.ends_with(kPrompt)) {
    SF_TRY_ASSIGN(bool ready, os::wait_readable(master_.get(), deadline));
    if (!ready) return fail(ErrorCode::kTimedOut, "the plain bash shows no prompt");
    SF_TRY_ASSIGN(bool more, os::read_available(master_.get(), seen, 1U << 20U));
    if (!more) return fail(ErrorCode::kSessionLost, "the plain bash has ended");
  }
  return Ok{};
}

}  // namespace sf::bench
