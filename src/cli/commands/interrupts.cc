#include "cli/commands/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

namespace sf::cli {

Interrupts::Interrupts(std::function<void(int)> on_interrupt)
    : on_interrupt_(std::move(on_interrupt)) {
  struct sigaction current {};
  if (::sigaction(SIGINT, nullptr, &current) != 0 || current.sa_handler == SIG_IGN) return;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  signals_.reset(::signalfd(-1, &interrupt, SFD_CLOEXEC));
  end_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!signals_.valid() || !end_.valid()) return;  // Ctrl-C then ends the client
  ::pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
  thread_ = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  while (::write(end_.get(), &one, sizeof one) < 0 && errno == EINTR) continue;
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::watch() const {
  std::array<pollfd, 2> fds = {pollfd{signals_.get(), POLLIN, 0}, pollfd{end_.get(), POLLIN, 0}};
  int count = 0;
  for (;;) {
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (fds[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) on_interrupt_(++count);
  }
}

}  // namespace sf::cli
