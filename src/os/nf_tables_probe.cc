// probe_nf_tables(): sends the netfilter messages that CRIU's network lock needs, in a network
// namespace that ends with the child.
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <string_view>

#include "os/error.h"
#include "os/fd.h"
#include "os/probe.h"

namespace sf::os {
namespace {

constexpr const char* kTable = "statefork-doctor";
constexpr const char* kChain = "output";

std::string packed_attribute(unsigned type, std::string_view value) {
  nlattr head{static_cast<std::uint16_t>(NLA_HDRLEN + value.size()),
              static_cast<std::uint16_t>(type)};
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  out += value;
  out.resize(NLA_ALIGN(out.size()));
  return out;
}

// Builds a sequence of netlink messages. Each part is aligned to four bytes.
class Batch {
 public:
  Batch() { mark(NFNL_MSG_BATCH_BEGIN); }

  void begin(unsigned type, std::uint16_t flags) {
    start_message(static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8U | type),
                  static_cast<std::uint16_t>(flags | NLM_F_ACK), {NFPROTO_INET, NFNETLINK_V0, 0});
  }
  void text(unsigned type, const char* value) {
    attribute(type, std::string_view(value, std::strlen(value) + 1));
  }
  void attribute(unsigned type, std::string_view value) {
    bytes_ += packed_attribute(type, value);
    close_message();
  }
  const std::string& finish() {
    mark(NFNL_MSG_BATCH_END);
    return bytes_;
  }

 private:
  void mark(std::uint16_t type) {
    start_message(type, 0, {AF_UNSPEC, NFNETLINK_V0, htons(NFNL_SUBSYS_NFTABLES)});
  }
  void start_message(std::uint16_t type, std::uint16_t flags, nfgenmsg body) {
    message_ = bytes_.size();
    nlmsghdr head{};
    head.nlmsg_type = type;
    head.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
    bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes_.append(reinterpret_cast<const char*>(&body), sizeof body);
    close_message();
  }
  void close_message() {
    auto size = static_cast<std::uint32_t>(bytes_.size() - message_);
    std::memcpy(bytes_.data() + message_, &size, sizeof size);
  }

  std::string bytes_;
  std::size_t message_ = 0;  // where the last message starts
};

std::string big_endian(std::uint32_t value) {
  std::uint32_t wire = htonl(value);
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::string hold_output() {
  Batch batch;
  batch.begin(NFT_MSG_NEWTABLE, NLM_F_CREATE);
  batch.text(NFTA_TABLE_NAME, kTable);
  batch.begin(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
  batch.text(NFTA_CHAIN_TABLE, kTable);
  batch.text(NFTA_CHAIN_NAME, kChain);
  batch.text(NFTA_CHAIN_TYPE, "filter");
  batch.attribute(NFTA_CHAIN_HOOK | NLA_F_NESTED,
                  packed_attribute(NFTA_HOOK_HOOKNUM, big_endian(NF_INET_LOCAL_OUT)) +
                      packed_attribute(NFTA_HOOK_PRIORITY, big_endian(0)));
  batch.attribute(NFTA_CHAIN_POLICY, big_endian(NF_DROP));
  return batch.finish();
}

// The kernel acknowledges both changes, or reports the first change that it rejects.
Status use_nf_tables() {
  if (::unshare(CLONE_NEWNET) != 0) return last_error("creating a network namespace");
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
  if (!socket.valid()) return last_error("opening a netfilter socket");
  std::string wanted = hold_output();
  if (::send(socket.get(), wanted.data(), wanted.size(), 0) < 0) return last_error("nf_tables");
  for (int accepted = 0; accepted < 2;) {
    alignas(nlmsghdr) char answer[8192];
    ssize_t n = ::recv(socket.get(), answer, sizeof answer, 0);
    if (n < 0) return last_error("nf_tables");
    auto left = static_cast<unsigned>(n);
    for (auto* head = reinterpret_cast<nlmsghdr*>(answer); NLMSG_OK(head, left);
         head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type != NLMSG_ERROR) continue;
      int error = static_cast<const nlmsgerr*>(NLMSG_DATA(head))->error;
      if (error != 0) return os_error(-error, "nf_tables");
      ++accepted;
    }
  }
  return Ok{};
}

}  // namespace

Status probe_nf_tables(Deadline deadline) { return probe_in_child(use_nf_tables, deadline); }

}  // namespace sf::os
