#include "os/loopback_gate.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cstring>

#include "os/error.h"
#include "os/fd.h"

namespace sf::os {
namespace {

// Sets a queue discipline of length 0 as the root of "lo", which drops all packets. One netlink
// request with one answer.
struct Request {
  nlmsghdr header;
  tcmsg message;
  char attributes[64];
};

void add_attribute(Request& request, unsigned short type, const void* data, std::size_t size) {
  auto* attribute = reinterpret_cast<rtattr*>(reinterpret_cast<char*>(&request) +
                                              NLMSG_ALIGN(request.header.nlmsg_len));
  attribute->rta_type = type;
  attribute->rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
  std::memcpy(RTA_DATA(attribute), data, size);
  request.header.nlmsg_len =
      static_cast<__u32>(NLMSG_ALIGN(request.header.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
}

Status ask(Request& request, const char* what) {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket.valid()) return last_error("opening a netlink socket");
  request.header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
  if (::send(socket.get(), &request, request.header.nlmsg_len, 0) < 0) return last_error(what);
  alignas(nlmsghdr) char buffer[4096];
  ssize_t n = ::recv(socket.get(), buffer, sizeof buffer, 0);
  if (n < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr))))
    return fail(ErrorCode::kOs, std::string(what) + ": malformed netlink answer");
  const auto* answer = reinterpret_cast<const nlmsgerr*>(buffer + NLMSG_HDRLEN);
  if (answer->error != 0) return os_error(-answer->error, what);
  return Ok{};
}

Request about_loopback(unsigned short type) {
  Request request{};
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof(tcmsg));
  request.header.nlmsg_type = type;
  request.message.tcm_family = AF_UNSPEC;
  request.message.tcm_ifindex = static_cast<int>(::if_nametoindex("lo"));
  request.message.tcm_parent = TC_H_ROOT;
  return request;
}

}  // namespace

Result<LoopbackGate> LoopbackGate::close() {
  Request request = about_loopback(RTM_NEWQDISC);
  request.header.nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
  tc_fifo_qopt none{};
  add_attribute(request, TCA_KIND, "pfifo", sizeof "pfifo");
  add_attribute(request, TCA_OPTIONS, &none, sizeof none);
  SF_TRY(ask(request, "holding the loopback interface"));
  return LoopbackGate();
}

Status LoopbackGate::open() {
  if (!closed_) return Ok{};
  closed_ = false;
  Request request = about_loopback(RTM_DELQDISC);
  return ask(request, "releasing the loopback interface");
}

LoopbackGate::~LoopbackGate() { (void)open(); }

}  // namespace sf::os
