// UDP with unread datagrams from several senders; netlink.
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

sockaddr_in old_location(std::uint16_t port) {
  sockaddr_in location{};
  location.sin_family = AF_INET;
  location.sin_port = htons(port);
  location.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return location;
}

sockaddr_in6 new_location(std::uint16_t port, const in6_addr& address) {
  sockaddr_in6 location{};
  location.sin6_family = AF_INET6;
  location.sin6_port = htons(port);
  location.sin6_addr = address;
  return location;
}

template <typename Location>
int bound_to(const Location& location) {
  int family = 0;
  std::memcpy(&family, &location, sizeof(sa_family_t));
  int fd = must(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  must(::bind(fd, reinterpret_cast<const sockaddr*>(&location), sizeof location), "bind");
  return fd;
}

template <typename Location>
void send_text(int fd, const std::string& text, const Location& to) {
  if (::sendto(fd, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof to) != static_cast<ssize_t>(text.size()))
    die("sendto");
}

void take(Answer& answer, int fd, int count) {
  for (int i = 0; i < count; ++i) {
    if (!readable(fd)) return answer.say("datagram", "(nothing came)");
    std::string buffer(70'000, '\0');
    sockaddr_in6 from{};
    socklen_t size = sizeof from;
    ssize_t got = ::recvfrom(fd, buffer.data(), buffer.size(), MSG_DONTWAIT,
                             reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) return answer.say("datagram", ::strerrorname_np(errno));
    buffer.resize(static_cast<std::size_t>(got));
    char name[INET6_ADDRSTRLEN] = {};
    const void* address = &from.sin6_addr;
    if (from.sin6_family == AF_INET) address = &reinterpret_cast<sockaddr_in*>(&from)->sin_addr;
    ::inet_ntop(from.sin6_family, address, name, sizeof name);
    answer.say("datagram", std::to_string(got) + " " + hash_of(buffer) + " from " + name + " " +
                               std::to_string(ntohs(from.sin6_port)));
  }
}

// Two senders, one with an unread reply; a dual-stack receiver; a socket that called connect()
// after other peers had written to it. The probe consumes the datagrams.
Probe udp_unread(const std::string&) {
  int one = bound_to(old_location(7821));
  int two = bound_to(new_location(7822, in6addr_loopback));
  int both = bound_to(new_location(7823, in6addr_any));
  int choosy = bound_to(old_location(7824));
  int third = bound_to(old_location(7825));
  send_text(one, "first", old_location(7823));
  send_text(two, "second", new_location(7823, in6addr_loopback));
  send_text(one, pattern(9'000, 3), old_location(7823));
  send_text(one, pattern(60'001, 4), old_location(7823));
  send_text(third, "", old_location(7824));
  send_text(third, "of a stranger", old_location(7824));
  send_text(one, "of the peer", old_location(7824));
  const sockaddr_in peer = old_location(7821);
  must(::connect(choosy, reinterpret_cast<const sockaddr*>(&peer), sizeof peer), "connect");
  send_text(choosy, "answer", peer);
  return [=](Answer& answer) {
    take(answer, both, 4);
    take(answer, choosy, 3);
    take(answer, one, 1);
    send_text(third, "now refused", old_location(7824));
    send_text(one, "now welcome", old_location(7824));
    take(answer, choosy, 1);
    int size = 0;
    socklen_t length = sizeof size;
    must(::getsockopt(both, SOL_SOCKET, SO_RCVBUF, &size, &length), "SO_RCVBUF");
    answer.say("buffer", size);
  };
}

int option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  must(::getsockopt(fd, SOL_NETLINK, name, &value, &size), "getsockopt");
  return value;
}

// A monitor of links that also sends a request; another one with a group above 31 and a filter.
Probe netlink(const std::string&) {
  int monitor = must(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "socket");
  sockaddr_nl name{};
  name.nl_family = AF_NETLINK;
  name.nl_groups = 1U << (RTNLGRP_LINK - 1);
  must(::bind(monitor, reinterpret_cast<const sockaddr*>(&name), sizeof name), "bind");
  int on = 1;
  int group = RTNLGRP_NSID;
  must(::setsockopt(monitor, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on), "NETLINK_EXT_ACK");
  int other = must(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_ROUTE), "socket");
  must(::setsockopt(other, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group), "group");
  sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  sock_fprog filter{1, none};
  must(::setsockopt(other, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter), "filter");
  return [=](Answer& answer) {
    sockaddr_nl seen{};
    socklen_t size = sizeof seen;
    must(::getsockname(monitor, reinterpret_cast<sockaddr*>(&seen), &size), "getsockname");
    answer.say("port", seen.nl_pid);
    answer.say("groups", seen.nl_groups);
    answer.say("options", option(monitor, NETLINK_EXT_ACK) * 10 + option(other, NETLINK_EXT_ACK));
    std::uint32_t words[8] = {};
    size = sizeof words;
    must(::getsockopt(other, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, words, &size), "groups");
    answer.say("of the other", words[0]);
    socklen_t instructions = 0;
    must(::getsockopt(other, SOL_SOCKET, SO_GET_FILTER, nullptr, &instructions), "SO_GET_FILTER");
    answer.say("filter", instructions);
    struct {
      nlmsghdr head;
      ifinfomsg link;
    } question{};
    question.head.nlmsg_len = sizeof question;
    question.head.nlmsg_type = RTM_GETLINK;
    question.head.nlmsg_flags = NLM_F_REQUEST;
    question.link.ifi_index = 1;
    if (::send(monitor, &question, sizeof question, 0) < 0) die("send");
    char buffer[8192];
    if (!readable(monitor)) die("no answer");
    ssize_t got = ::recv(monitor, buffer, sizeof buffer, 0);
    nlmsghdr head{};
    if (got >= static_cast<ssize_t>(sizeof head)) std::memcpy(&head, buffer, sizeof head);
    answer.say("answer", head.nlmsg_type);
  };
}

}  // namespace

std::vector<Feature> datagram_features() {
  return {{"udp-unread", udp_unread}, {"netlink", netlink}};
}

}  // namespace stateful
