#include "wire/keeper_client.h"

#include <cerrno>

#include "os/socket.h"

namespace sf::waypoint {

using wire::Frame;

KeeperClient::KeeperClient(std::string socket_path)
    : connect_([path = std::move(socket_path)] { return os::connect_unix(path); }) {}

Result<KeeperConnection> KeeperClient::take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      KeeperConnection connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  auto socket = connect_();
  bool gone = !socket && (socket.error().os_errno == ECONNREFUSED ||
                          socket.error().code == ErrorCode::kNotFound);
  if (!socket && !gone) return std::move(socket).error().while_doing("reaching the branch");
  if (gone)
    return fail(ErrorCode::kSessionLost, "the live branch has ended: " + socket.error().message,
                "restore one of its nodes, or fork one");
  return KeeperConnection{std::move(*socket), {}};
}

void KeeperClient::give_back(KeeperConnection connection) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

Result<Frame> KeeperClient::call(const Frame& request, Deadline deadline,
                                 const std::function<void(const Frame&)>& on_event) {
  SF_TRY_ASSIGN(KeeperConnection connection, take());
  ++calls_;
  SF_TRY(wire::send_frame(connection.socket.get(), request));
  for (;;) {
    auto frame = wire::receive_frame(connection.socket.get(), connection.reader, deadline);
    if (!frame)
      return std::move(frame)
          .error();  // drop the connection, or the next call could read a late reply
    if (frame->header.contains("event")) {
      if (on_event) on_event(*frame);
      continue;
    }
    give_back(std::move(connection));
    if (frame->header.contains("error")) return wire::error_from_json(frame->header["error"]);
    return frame;
  }
}

Result<KeeperStream> KeeperClient::open_stream(const Frame& request) {
  SF_TRY_ASSIGN(KeeperConnection connection, take());
  SF_TRY(wire::send_frame(connection.socket.get(), request));
  return KeeperStream(std::move(connection));
}

Result<std::optional<Frame>> KeeperStream::next(Deadline deadline) {
  auto frame = wire::receive_frame(connection_.socket.get(), connection_.reader, deadline);
  if (!frame && frame.error().code == ErrorCode::kTimedOut) return std::optional<Frame>();
  if (!frame) return std::move(frame).error();
  if (frame->header.contains("error")) return wire::error_from_json(frame->header["error"]);
  return std::optional(std::move(*frame));
}

Status KeeperClient::end(Deadline deadline) {
  auto connection = take();
  if (!connection && connection.error().code != ErrorCode::kSessionLost)
    return std::move(connection).error();
  if (!connection) return Ok{};  // the keeper has ended already
  drop_idle();
  if (!wire::send_frame(connection->socket.get(), wire::to_frame(wire::EndCall{}))) return Ok{};
  for (;;) {
    auto frame = wire::receive_frame(connection->socket.get(), connection->reader, deadline);
    if (frame) continue;
    if (frame.error().code == ErrorCode::kTimedOut) return std::move(frame).error();
    return Ok{};
  }
}

void KeeperClient::hang_up() {
  auto connection = take();
  if (connection)
    (void)wire::send_frame(connection->socket.get(), wire::to_frame(wire::HangUpCall{}));
  drop_idle();  // the keeper closes these connections, so later calls must not use them
}

void KeeperClient::drop_idle() {
  std::lock_guard lock(mutex_);
  idle_.clear();
}

Status KeeperClient::hold() {
  SF_TRY_ASSIGN(KeeperConnection connection, take());
  give_back(std::move(connection));
  return Ok{};
}

}  // namespace sf::waypoint
