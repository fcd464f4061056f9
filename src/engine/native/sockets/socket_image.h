// Saved state of a socket. Plain data.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sf::waypoint::native {

struct SocketOption {
  std::int32_t level = 0;
  std::int32_t name = 0;
  std::string value;
  template <typename A>
  void fields(A& a) {
    a(level)(name)(value);
  }
};

// How a Unix socket is connected to others.
enum class UnixTie : std::uint32_t {
  kAlone,      // not connected
  kPair,       // created together with its other end
  kClient,     // it connected, and the other end was accepted
  kServer,     // it was accepted: its name is the listener's
  kWaits,      // it connected and is not accepted yet
  kAddressed,  // datagrams: it sends to a name
};

struct SocketMessage {
  std::string bytes;
  std::string from;  // name of the sender
  bool operator==(const SocketMessage&) const = default;
  template <typename A>
  void fields(A& a) {
    a(bytes)(from);
  }
};

struct SocketMaker {  // SO_PEERCRED of the other end; pid 0: none
  pid_t pid = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

struct UnixImage {
  UnixTie tie = UnixTie::kAlone;
  std::uint32_t inode = 0;  // identifies it to other sockets
  std::uint32_t peer = 0;   // inode of the other end; 0: closed
  std::string peer_name;
  std::string path;  // of the file that bind() created
  std::uint32_t path_gone = 0;
  std::uint32_t shutdown = 0;  // 1: reads, 2: writes
  std::uint32_t has_error = 0;
  std::int32_t send_buffer = 0;
  SocketMaker maker;
  std::vector<std::uint32_t> waiting;  // inodes of unaccepted clients
  std::vector<SocketMessage> queue;    // of a stream: one message at most
  template <typename A>
  void fields(A& a) {
    a(tie)(inode)(
        peer)(peer_name)(path)(path_gone)(shutdown)(has_error)(send_buffer)(maker)(waiting)(queue);
  }
};

struct TcpImage {  // a connection; state 0: none, closed: it has ended
  std::uint32_t state = 0;
  std::uint32_t send_number = 0;  // after everything in the queue
  std::uint32_t receive_number = 0;
  std::string unacknowledged;
  std::string unread;
  std::uint32_t negotiated = 0;  // options, from TCP_INFO
  std::uint32_t send_scale = 0;
  std::uint32_t receive_scale = 0;
  std::uint32_t segment = 0;  // largest
  std::uint32_t timestamp = 0;
  std::int32_t buffer_lock = 0;
  std::array<std::uint32_t, 5> window{};  // tcp_repair_window
  std::uint32_t turn = 0;                 // position among unaccepted connections; 0: accepted
  template <typename A>
  void fields(A& a) {
    a(state)(send_number)(
        receive_number)(unacknowledged)(unread)(negotiated)(send_scale)(receive_scale)(segment)(timestamp)(buffer_lock)(window)(turn);
  }
};

struct SocketImage {
  std::int32_t family = 0;
  std::int32_t type = 0;
  std::int32_t protocol = 0;
  std::uint32_t listens = 0;
  std::int32_t backlog = 0;
  std::string name;  // as bind() takes it; empty: not bound
  std::string peer;
  std::vector<SocketOption> options;     // only if they differ from a new socket's
  std::vector<SocketMessage> datagrams;  // UDP
  std::int32_t receive_buffer = 0;       // its size, if there are datagrams
  std::vector<std::uint32_t> groups;     // netlink
  std::string filter;                    // netlink: instructions
  UnixImage local;
  TcpImage tcp;
  template <typename A>
  void fields(A& a) {
    a(family)(type)(
        protocol)(listens)(backlog)(name)(peer)(options)(datagrams)(receive_buffer)(groups)(filter)(local)(tcp);
  }
};

}  // namespace sf::waypoint::native
