#include "engine/native/sockets/datagrams.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "engine/native/facts.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kLargest = 65536;
constexpr std::size_t kMost = 100'000;  // per socket; more than any buffer holds
constexpr int kRoomForEach = 4096;      // the kernel's overhead per datagram

struct Location {
  bool is_old = false;                    // IPv4
  std::array<unsigned char, 16> bytes{};  // the first four if IPv4
  std::uint16_t port = 0;                 // in network byte order
};

std::optional<Location> location_of(const std::string& address) {
  Location location;
  sockaddr_in old{};
  sockaddr_in6 now{};
  if (address.size() < sizeof old) return std::nullopt;
  std::memcpy(&old, address.data(), sizeof old);
  location.port = old.sin_port;
  if (old.sin_family == AF_INET) {
    location.is_old = true;
    std::memcpy(location.bytes.data(), &old.sin_addr, sizeof old.sin_addr);
    return location;
  }
  if (old.sin_family != AF_INET6 || address.size() < sizeof now) return std::nullopt;
  std::memcpy(&now, address.data(), sizeof now);
  location.is_old = IN6_IS_ADDR_V4MAPPED(&now.sin6_addr);
  std::memcpy(location.bytes.data(), now.sin6_addr.s6_addr + (location.is_old ? 12 : 0),
              location.is_old ? 4 : 16);
  return location;
}

std::size_t size_of(const Location& location) { return location.is_old ? 4 : 16; }

bool is_anywhere(const Location& location) {
  return std::ranges::all_of(location.bytes, [](unsigned char byte) { return byte == 0; });
}

std::array<unsigned char, 16> loopback(bool is_old) {
  if (is_old) return {127, 0, 0, 1};
  std::array<unsigned char, 16> bytes{};
  bytes[15] = 1;
  return bytes;
}

bool is_loopback(const Location& location) {
  return location.is_old ? location.bytes[0] == 127 : location.bytes == loopback(false);
}

std::string number(std::uint16_t value) {
  return {static_cast<char>(value >> 8U), static_cast<char>(value & 0xffU)};
}

std::uint16_t checksum(std::string bytes) {
  if (bytes.size() % 2 != 0) bytes.push_back('\0');
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8U |
           static_cast<unsigned char>(bytes[i + 1]);
    sum = (sum & 0xffffU) + (sum >> 16U);
  }
  auto result = static_cast<std::uint16_t>(~sum);
  return result == 0 ? 0xffff : result;
}

std::string packet(const Location& from, const Location& to, const std::string& bytes) {
  auto text = [](const Location& location) {
    return std::string(reinterpret_cast<const char*>(location.bytes.data()), size_of(location));
  };
  auto port = [](const Location& location) { return number(ntohs(location.port)); };
  const auto size = static_cast<std::uint16_t>(bytes.size() + 8);
  std::string head = port(from) + port(to) + number(size);
  std::string pseudo = text(from) + text(to);
  if (from.is_old) {
    pseudo += std::string("\0\x11", 2) + number(size);
  } else {
    pseudo += std::string(2, '\0') + number(size) + std::string("\0\0\0\x11", 4);
  }
  std::string payload = head + number(checksum(pseudo + head + number(0) + bytes)) + bytes;
  if (from.is_old)  // the kernel fills in the checksum
    return std::string("\x45\0", 2) + number(static_cast<std::uint16_t>(payload.size() + 20)) +
           std::string("\0\0\0\0\x40\x11\0\0", 8) + text(from) + text(to) + payload;
  return std::string("\x60\0\0\0", 4) + number(size) + "\x11\x40" + text(from) + text(to) + payload;
}

}  // namespace

std::vector<SocketMessage> read_datagrams(int fd) {
  std::vector<SocketMessage> all;
  int before = -1;
  socklen_t size = sizeof before;
  (void)::getsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &before, &size);
  int start = 0;
  if (::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &start, sizeof start) != 0) return all;
  std::string buffer(kLargest, '\0');
  while (all.size() < kMost) {
    sockaddr_storage from{};
    socklen_t from_size = sizeof from;
    ssize_t n = ::recvfrom(fd, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&from), &from_size);
    if (n < 0) break;
    all.push_back({buffer.substr(0, static_cast<std::size_t>(n)),
                   {reinterpret_cast<const char*>(&from), from_size}});
  }
  (void)::setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &before, sizeof before);
  return all;
}

void find_shared_ports(std::vector<ProcessFacts>& processes) {
  std::map<std::uint16_t, std::set<ino_t>> sockets;
  auto each = [&](auto use) {
    for (ProcessFacts& process : processes)
      for (DescriptorFacts& fd : process.descriptors)
        if (fd.socket.protocol == IPPROTO_UDP && !fd.socket.name.empty())
          if (auto location = location_of(fd.socket.name)) use(fd, location->port);
  };
  each([&](DescriptorFacts& fd, std::uint16_t port) { sockets[port].insert(fd.file.st_ino); });
  each([&](DescriptorFacts& fd, std::uint16_t port) {
    fd.socket.shares_port = sockets[port].size() > 1;
  });
}

std::string datagram_trouble(const std::vector<SocketMessage>& datagrams, bool shares_port) {
  if (!datagrams.empty() && shares_port)
    return "it has unread datagrams and shares its port with another socket";
  for (const SocketMessage& each : datagrams) {
    auto from = location_of(each.from);
    if (!from || !is_loopback(*from)) return "it has an unread datagram from outside the branch";
  }
  return {};
}

std::string udp_packet(const std::string& from, const std::string& to, const std::string& bytes) {
  auto source = location_of(from);
  auto target = location_of(to);
  if (!source || !target) return {};
  if (is_anywhere(*target)) {
    target->bytes = loopback(source->is_old);
    target->is_old = source->is_old;
  }
  return packet(*source, *target, bytes);
}

void send_again(ProgramWriter& program, Argument fd, const SocketImage& socket) {
  if (socket.datagrams.empty()) return;
  Arena& arena = program.arena();
  auto option = [&](int value) {
    program.call(SYS_setsockopt,
                 {fd, SOL_SOCKET, SO_RCVBUFFORCE, arena.put_value(value), sizeof value});
  };
  std::size_t room = 0;
  for (const SocketMessage& each : socket.datagrams) room += 2 * each.bytes.size() + kRoomForEach;
  program.about("sending datagrams again");
  option(static_cast<int>(std::min<std::size_t>(room, 1U << 30U)));
  std::map<bool, Argument> raw;  // one for each family
  for (const SocketMessage& each : socket.datagrams) {
    auto from = location_of(each.from);
    if (!from) continue;
    const bool is_old = from->is_old;
    if (!raw.contains(is_old))
      raw.emplace(is_old, program.keep(SYS_socket, {is_old ? AF_INET : AF_INET6,
                                                    SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW}));
    std::string bytes = udp_packet(each.from, socket.name, each.bytes);
    sockaddr_in6 to{};
    sockaddr_in old{};
    old.sin_family = AF_INET;
    to.sin6_family = AF_INET6;
    std::memcpy(&old.sin_addr, bytes.data() + 16, is_old ? 4 : 0);
    std::memcpy(&to.sin6_addr, bytes.data() + 24, is_old ? 0 : 16);
    std::uint64_t location = is_old ? arena.put_value(old) : arena.put_value(to);
    program.call_exactly(static_cast<long>(bytes.size()), SYS_sendto,
                         {raw.at(is_old), arena.put(bytes.data(), bytes.size()), bytes.size(), 0,
                          location, is_old ? sizeof old : sizeof to});
  }
  for (const auto& [is_old, fd_of] : raw) program.call(SYS_close, {fd_of});
  option(socket.receive_buffer / 2);
}

}  // namespace sf::waypoint::native
