#include "wire/keeper_server.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "os/socket.h"

namespace sf::waypoint {
namespace {

// A client with more unread bytes is disconnected, because buffering must be bounded.
constexpr std::size_t kMaxUnsent = 256U << 20U;
constexpr std::size_t kCompactAfter = 16U << 20U;

}  // namespace

void Client::send(const wire::Frame& frame) {
  if (gone()) return;
  if (sent_ > kCompactAfter) {
    unsent_.erase(0, sent_);
    sent_ = 0;
  }
  unsent_ += wire::encode_frame(frame);
  flush();
  if (unsent_.size() > kMaxUnsent) close();
}

void Client::flush() {
  while (!unsent_.empty() && socket_.valid()) {
    ssize_t n = ::send(socket_.get(), unsent_.data() + sent_, unsent_.size() - sent_,
                       MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent_ += static_cast<std::size_t>(n);
      if (sent_ == unsent_.size()) {
        unsent_.clear();
        sent_ = 0;
      }
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return close();
    break;
  }
  if (socket_.valid() && poller_.contains(socket_.get()))
    (void)poller_.change(socket_.get(), unsent_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void Client::close() {
  if (!socket_.valid()) return;
  poller_.remove(socket_.get());
  socket_.reset();
  unsent_.clear();
}

KeeperServer::~KeeperServer() {
  if (listener_.valid()) poller_.remove(listener_.get());
}

Status KeeperServer::listen(const std::string& path) {
  SF_TRY_ASSIGN(listener_, os::listen_unix(path, 0600));
  return poller_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

void KeeperServer::accept() {
  auto socket = os::accept_unix(listener_.get());
  if (!socket) return;
  int fd = socket->get();
  auto client = std::make_shared<Client>(poller_, std::move(*socket));
  clients_[fd] = client;
  (void)poller_.add(fd, EPOLLIN, [this, fd](std::uint32_t events) { on_client(fd, events); });
}

void KeeperServer::on_client(int fd, std::uint32_t events) {
  std::shared_ptr<Client> client = clients_[fd];
  if (events & EPOLLOUT) client->flush();
  char buffer[65536];
  while (!client->gone()) {
    ssize_t n = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      client->close();
      break;
    }
    client->reader_.feed({buffer, static_cast<std::size_t>(n)});
  }
  for (;;) {
    auto frame = client->reader_.next();
    if (!frame) {
      client->send_error(frame.error());
      client->close();
      break;
    }
    if (!frame->has_value()) break;
    handler_(client, std::move(**frame));
  }
  if (client->gone()) clients_.erase(fd);
}

void KeeperServer::close_all_but(const Client& client) {
  for (auto& [fd, other] : clients_) {
    if (other.get() != &client) other->close();
  }
  std::erase_if(clients_, [](const auto& entry) { return entry.second->gone(); });
}

void KeeperServer::flush_all() {
  Deadline deadline = Deadline::after(seconds(1));
  for (auto& [fd, client] : clients_) {
    while (!client->gone() && !client->unsent_.empty() && !deadline.passed()) {
      pollfd entry{fd, POLLOUT, 0};
      ::poll(&entry, 1, deadline.poll_timeout_ms());
      client->flush();
    }
  }
}

}  // namespace sf::waypoint
