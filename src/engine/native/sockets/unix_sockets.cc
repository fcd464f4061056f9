#include "engine/native/sockets/unix_sockets.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "base/scope_exit.h"
#include "engine/blocker.h"
#include "engine/native/ptrace/remote_fd.h"
#include "engine/native/sockets/internet_sockets.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMaxMessage = 8U << 20U;
constexpr std::size_t kAnswerSize = 16;  // ucred and its size

Result<std::string> peek_stream(int fd) {
  int size = 0;
  if (::ioctl(fd, SIOCINQ, &size) != 0) return os::last_error("looking into a socket");
  std::string all(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < all.size();) {
    ssize_t n = ::recv(fd, all.data() + done, all.size() - done, MSG_PEEK | MSG_DONTWAIT);
    if (n <= 0) return fail(ErrorCode::kOs, "a socket's unread data could not be read whole");
    done += static_cast<std::size_t>(n);
  }
  return all;
}

Status peek_messages(int fd, bool may_end, std::vector<SocketMessage>& queue) {
  auto buffer = std::make_unique_for_overwrite<char[]>(kMaxMessage);
  for (;;) {
    sockaddr_storage from{};
    iovec location{buffer.get(), kMaxMessage};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &location;
    message.msg_iovlen = 1;
    ssize_t n = ::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return Ok{};
    if (n < 0) return os::last_error("looking into a socket");
    if (n == 0 && may_end) return Ok{};
    if ((static_cast<unsigned>(message.msg_flags) & (MSG_TRUNC | MSG_CTRUNC)) != 0)
      return fail(ErrorCode::kOs, "a socket's unread data could not be read whole");
    SocketMessage& kept = queue.emplace_back();
    kept.bytes.assign(buffer.get(), static_cast<std::size_t>(n));
    if (message.msg_namelen > offsetof(sockaddr_un, sun_path))
      kept.from.assign(reinterpret_cast<const char*>(&from),
                       std::min<std::size_t>(message.msg_namelen, sizeof(sockaddr_un)));
  }
}

// With SO_PEEK_OFF, each peek continues where the last one ended.
Result<std::vector<SocketMessage>> peek_queue(int fd, const UnixFacts& facts) {
  std::vector<SocketMessage> queue;
  if (!facts.has_unread) return queue;
  int before = -1;
  socklen_t size = sizeof before;
  const int begin = 0;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &before, &size) != 0 ||
      ::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &begin, sizeof begin) != 0)
    return os::last_error("looking into a socket");
  ScopeExit reset([&] { (void)::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &before, sizeof before); });
  if (facts.type == SOCK_STREAM) {
    SF_TRY_ASSIGN(std::string bytes, peek_stream(fd));
    queue.push_back({std::move(bytes), {}});
  } else {
    SF_TRY(peek_messages(fd, (facts.shutdown & 1U) != 0, queue));
  }
  return queue;
}

// Only the other end can send to a socket of a pair.
bool has_strangers(const UnixImage& socket, const SocketImage& image) {
  if (socket.tie != UnixTie::kPair || image.type != SOCK_DGRAM) return false;
  for (const SocketMessage& message : socket.queue)
    if (message.from != socket.peer_name) return true;
  return false;
}

}  // namespace

std::vector<int> unix_sockets_of(const ProcessFacts& process) {
  std::vector<int> numbers;
  for (const DescriptorFacts& fd : process.descriptors)
    if (fd.socket.family == AF_UNIX) numbers.push_back(fd.number);
  return numbers;
}

MakerQuestions::MakerQuestions(ProgramWriter& program, std::vector<int> numbers)
    : numbers_(std::move(numbers)),
      answers_(program.arena().reserve(numbers_.size() * kAnswerSize)) {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const std::uint64_t at = answers_ + i * kAnswerSize;
    *program.arena().at<socklen_t>(at + sizeof(ucred)) = sizeof(ucred);
    program.call(SYS_getsockopt, {numbers_[i], SOL_SOCKET, SO_PEERCRED, at, at + sizeof(ucred)});
  }
}

void MakerQuestions::take(Arena& arena, pid_t pid, SocketMakers& makers) const {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const auto* who = arena.at<ucred>(answers_ + i * kAnswerSize);
    makers[{pid, numbers_[i]}] = {who->pid, who->uid, who->gid};
  }
}

Result<SocketImage> capture_unix_socket(pid_t pid, const DescriptorFacts& fd,
                                        const SocketMakers& makers) {
  const UnixFacts& facts = fd.socket.local;
  SF_TRY_ASSIGN(os::UniqueFd own, descriptor_of(pid, fd.number));
  SocketImage socket;
  socket.family = fd.socket.family;
  socket.type = fd.socket.type;
  socket.protocol = fd.socket.protocol;
  socket.listens = facts.listens ? 1 : 0;
  socket.backlog = static_cast<std::int32_t>(facts.backlog);
  socket.name = facts.name;
  SF_TRY_ASSIGN(socket.options, capture_options(own.get(), fd.socket));
  UnixImage& local = socket.local;
  local.tie = facts.tie;
  local.inode = facts.inode;
  local.peer = facts.peer;
  local.peer_name = facts.peer_name;
  local.path = facts.path;
  local.path_gone = facts.path_gone ? 1 : 0;
  local.shutdown = facts.shutdown;
  local.has_error = facts.has_error ? 1 : 0;
  socklen_t size = sizeof local.send_buffer;
  (void)::getsockopt(own.get(), SOL_SOCKET, SO_SNDBUF, &local.send_buffer, &size);
  auto maker = makers.find({pid, fd.number});
  if (maker != makers.end()) local.maker = maker->second;
  local.waiting = facts.waiting;
  SF_TRY_ASSIGN(local.queue, peek_queue(own.get(), facts));
  if (has_strangers(local, socket))
    return refuse_capture({{0, "", "descriptor " + std::to_string(fd.number) + " (" + fd.link + ")",
                            "it has unread data of a sender that can no longer reach it",
                            "use the criu engine (`auto` does), or end that process"}});
  return socket;
}

}  // namespace sf::waypoint::native
