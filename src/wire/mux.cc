#include "wire/mux.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "os/socket.h"

namespace sf::wire {
namespace {

constexpr std::size_t kPiece = 32U << 10U;
constexpr std::size_t kStallAt = 1U << 20U;
constexpr std::size_t kMaxUnsent = 256U << 20U;  // for a connection with no reader

// Writes as much as possible. Returns false if the other end is closed.
bool write_some(int fd, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const char* next = bytes.data() + done;
    ssize_t n = ::send(fd, next, bytes.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK) n = ::write(fd, next, bytes.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    return false;
  }
  bytes.erase(0, done);
  return true;
}

}  // namespace

Mux::Mux(os::Poller& poller, os::UniqueFd in, os::UniqueFd out, Connect connect)
    : poller_(poller), in_(std::move(in)), out_(std::move(out)), connect_(std::move(connect)) {}

Mux::~Mux() { close(); }

Status Mux::start() {
  SF_TRY(os::set_nonblocking(in_.get()));
  SF_TRY(os::set_nonblocking(out_.get()));
  SF_TRY(poller_.add(in_.get(), EPOLLIN, [this](std::uint32_t events) { on_stream(events); }));
  return poller_.add(out_.get(), 0, [this](std::uint32_t events) {
    if ((events & EPOLLOUT) != 0) return flush();
    close();  // epoll reports errors and hang-ups even if they are not requested
  });
}

void Mux::reset_peer(std::uint32_t number) {
  awaited_ = number;
  send(MuxFrame::Kind::kReset, number);
}

void Mux::open(os::UniqueFd local) {
  std::uint32_t number = next_channel_++;
  send(MuxFrame::Kind::kOpen, number);
  add(number, std::move(local));
}

void Mux::send(MuxFrame::Kind kind, std::uint32_t channel, std::string bytes) {
  if (closed_) return;
  unsent_ += encode_mux_frame({kind, channel, std::move(bytes)});
  flush();
}

void Mux::flush() {
  if (closed_) return;
  if (!write_some(out_.get(), unsent_)) return close();
  choose_events();
}

void Mux::choose_events() {
  (void)poller_.change(out_.get(), unsent_.empty() ? 0U : EPOLLOUT);
  const bool stalled = unsent_.size() > kStallAt;
  if (stalled == stalled_) return;
  stalled_ = stalled;
  for (auto& [number, channel] : channels_)
    (void)poller_.change(channel.local.get(),
                         (stalled ? 0U : EPOLLIN) | (channel.unsent.empty() ? 0U : EPOLLOUT));
}

void Mux::on_stream(std::uint32_t) {
  char buffer[kPiece];
  ssize_t n = ::read(in_.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return close();
  reader_.feed({buffer, static_cast<std::size_t>(n)});
  while (auto frame = reader_.next()) take(std::move(*frame));
}

void Mux::take(MuxFrame frame) {
  if (awaited_ != 0) {
    if (frame.kind == MuxFrame::Kind::kReady && frame.channel == awaited_) awaited_ = 0;
    return;
  }
  switch (frame.kind) {
    case MuxFrame::Kind::kReset:
      drop_all();
      return send(MuxFrame::Kind::kReady, frame.channel);
    case MuxFrame::Kind::kReady:
      return;  // the answer to a repeated reset
    case MuxFrame::Kind::kOpen: {
      auto local = connect_();
      if (!local) return send(MuxFrame::Kind::kClose, frame.channel);
      return add(frame.channel, std::move(*local));
    }
    case MuxFrame::Kind::kData: {
      auto found = channels_.find(frame.channel);
      if (found == channels_.end()) return;
      found->second.unsent += frame.bytes;
      return flush_local(frame.channel);
    }
    case MuxFrame::Kind::kClose:
      return drop(frame.channel);
  }
}

void Mux::add(std::uint32_t number, os::UniqueFd local) {
  int fd = local.get();
  if (!os::set_nonblocking(fd)) return send(MuxFrame::Kind::kClose, number);
  channels_[number].local = std::move(local);
  (void)poller_.add(fd, stalled_ ? 0U : EPOLLIN,
                    [this, number](std::uint32_t events) { on_local(number, events); });
}

void Mux::on_local(std::uint32_t number, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush_local(number);
  auto found = channels_.find(number);
  if (found == channels_.end() || (events & ~static_cast<std::uint32_t>(EPOLLOUT)) == 0) return;
  std::string bytes(kPiece, '\0');
  ssize_t n = ::read(found->second.local.get(), bytes.data(), bytes.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    drop(number);
    return send(MuxFrame::Kind::kClose, number);
  }
  bytes.resize(static_cast<std::size_t>(n));
  send(MuxFrame::Kind::kData, number, std::move(bytes));
}

void Mux::flush_local(std::uint32_t number) {
  auto found = channels_.find(number);
  if (found == channels_.end()) return;
  Channel& channel = found->second;
  if (!write_some(channel.local.get(), channel.unsent) || channel.unsent.size() > kMaxUnsent) {
    drop(number);
    return send(MuxFrame::Kind::kClose, number);
  }
  (void)poller_.change(channel.local.get(),
                       (stalled_ ? 0U : EPOLLIN) | (channel.unsent.empty() ? 0U : EPOLLOUT));
}

void Mux::drop(std::uint32_t number) {
  auto found = channels_.find(number);
  if (found == channels_.end()) return;
  poller_.remove(found->second.local.get());
  channels_.erase(found);
}

void Mux::drop_all() {
  while (!channels_.empty()) drop(channels_.begin()->first);
}

void Mux::close() {
  if (closed_) return;
  closed_ = true;
  drop_all();
  poller_.remove(in_.get());
  poller_.remove(out_.get());
  in_.reset();
  out_.reset();
}

}  // namespace sf::wire
