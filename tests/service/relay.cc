#include "relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "os/socket.h"
#include "testing/matchers.h"

namespace sf::test {

Relay::Relay(std::string daemon_socket)
    : daemon_socket_(std::move(daemon_socket)), end_(::eventfd(0, EFD_CLOEXEC)) {
  auto listener = os::listen_unix(socket(), 0600);
  EXPECT_OK(listener);
  if (listener) listener_ = std::move(*listener);
  thread_ = std::thread([this] { serve(); });
}

Relay::~Relay() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

void Relay::cut_after(const std::string& text) {
  std::lock_guard lock(mutex_);
  cut_text_ = text;
}

void Relay::wait_until_cut() {
  EXPECT_EQ(cut_.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

void Relay::serve() {
  for (;;) {
    std::array<pollfd, 2> fds = {pollfd{listener_.get(), POLLIN, 0}, pollfd{end_.get(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 || fds[1].revents != 0) return;
    auto client = os::accept_unix(listener_.get());
    if (!client) continue;
    ++connections_;
    carry(std::move(*client));
  }
}

void Relay::carry(os::UniqueFd client) {
  auto daemon = os::connect_unix(daemon_socket_);
  ASSERT_OK(daemon);
  std::string seen;
  std::array<pollfd, 2> fds = {pollfd{client.get(), POLLIN, 0}, pollfd{daemon->get(), POLLIN, 0}};
  std::array<char, 4096> buffer{};
  while (::poll(fds.data(), fds.size(), -1) >= 0) {
    for (std::size_t from : {0U, 1U}) {
      if (fds[from].revents == 0) continue;
      ssize_t n = ::read(fds[from].fd, buffer.data(), buffer.size());
      if (n <= 0) return;
      std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
      if (::send(fds[1 - from].fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != n) return;
      if (from == 0) continue;
      seen += bytes;
      std::lock_guard lock(mutex_);
      // Cut after the complete event, so that the client has received it.
      if (cut_text_.empty() || seen.find("\n\n", seen.find(cut_text_)) == std::string::npos)
        continue;
      cut_text_.clear();
      cut_.set_value();
      return;
    }
  }
}

}  // namespace sf::test
