#include "engine/native/sockets/unix_facts.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "engine/native/files/directory_of.h"
#include "os/error.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/in_root.h"

namespace sf::waypoint::native {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::size_t kPathOffset = offsetof(sockaddr_un, sun_path);
constexpr unsigned kAllStates = ~0U;
constexpr unsigned long kSocketFile = SIOCPROTOPRIVATE;  // SIOCUNIXFILE
constexpr std::uint32_t kBothWays = 3;                   // sk_shutdown of a closed connection

using NameCall = int (*)(int, sockaddr*, socklen_t*);

std::string address_of(int fd, NameCall call) {
  sockaddr_storage location{};
  socklen_t size = sizeof location;
  if (call(fd, reinterpret_cast<sockaddr*>(&location), &size) != 0 || size <= kPathOffset)
    return {};
  return {reinterpret_cast<const char*>(&location),
          std::min<std::size_t>(size, sizeof(sockaddr_un))};
}

int option_of(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : 0;
}

// Finds the present path of the file that bind() created.
void read_path(int fd, const std::string& root, UnixFacts& facts) {
  std::string wanted = path_in(facts.name);
  if (wanted.empty()) return;
  os::UniqueFd file(::ioctl(fd, kSocketFile));
  auto link = file.valid() ? os::read_link(os::fd_path(file.get()))
                           : Result<std::string>(os::last_error("looking at a socket's file"));
  struct stat info {};
  auto inside = os::InRoot::open(root);
  if (!link || !inside || ::fstat(file.get(), &info) != 0) {
    facts.file_moved = true;
    return;
  }
  facts.path = *link;
  if (facts.path.ends_with(kDeleted)) {
    facts.path.resize(facts.path.size() - kDeleted.size());
    facts.path_gone = true;
  }
  if (wanted[0] != '/') {
    facts.file_moved = !facts.path.ends_with("/" + wanted);
  } else if (!facts.path_gone) {
    auto there = inside->look(wanted);
    facts.file_moved = !there || there->st_dev != info.st_dev || there->st_ino != info.st_ino;
  }
  facts.directory_gone = !inside->look(directory_of(facts.path));
}

bool is_datagram(const UnixFacts& s) { return s.type == SOCK_DGRAM; }

class Tying {
 public:
  explicit Tying(const std::vector<UnixFacts*>& sockets) {
    for (UnixFacts* socket : sockets) {
      by_inode_[socket->inode] = socket;
      if (socket->listens && !socket->name.empty()) listening_.insert(socket->name);
      for (std::uint32_t client : socket->waiting) waiting_.insert(client);
    }
  }

  void tie(UnixFacts& s) const {
    if (s.listens) check_waiting(s);
    if (!s.connected) {
      if (s.has_unread && s.name.empty() && !s.listens)
        s.trouble = "it has unread data and no address";
      return;
    }
    auto found = by_inode_.find(s.peer);
    const UnixFacts* peer = s.peer == 0 || found == by_inode_.end() ? nullptr : found->second;
    if (s.peer != 0 && peer == nullptr) {
      s.trouble = "its other end is outside the branch";
    } else if (is_datagram(s)) {
      tie_datagrams(s, peer);
    } else if (waiting_.contains(s.inode)) {
      s.tie = UnixTie::kWaits;
    } else if (peer == nullptr && s.shutdown != kBothWays) {
      s.trouble = "its connection is not accepted yet by a process outside the branch";
    } else {
      tie_stream(s, peer);
    }
  }

 private:
  void check_waiting(UnixFacts& s) const {
    for (std::uint32_t client : s.waiting) {
      auto found = by_inode_.find(client);
      if (client == 0 || found == by_inode_.end() || found->second->unsent != 0)
        s.trouble = "it has unaccepted connections that cannot be restored";
    }
  }

  void tie_stream(UnixFacts& s, const UnixFacts* peer) const {
    const std::string& other = peer != nullptr ? peer->name : s.peer_name;
    if (s.name.empty() && other.empty()) {
      s.tie = UnixTie::kPair;
    } else if (s.name.empty() != other.empty()) {
      s.tie = s.name.empty() ? UnixTie::kClient : UnixTie::kServer;
    } else if (listening_.contains(s.name) != listening_.contains(other)) {
      s.tie = listening_.contains(s.name) ? UnixTie::kServer : UnixTie::kClient;
    } else {
      s.trouble = "it is unknown which end accepted the other";
    }
  }

  static bool is_reachable(const UnixFacts& s) { return !s.name.empty() && !s.path_gone; }

  static void tie_datagrams(UnixFacts& s, const UnixFacts* peer) {
    if (peer == nullptr) {
      s.tie = s.peer_name.empty() ? UnixTie::kPair : UnixTie::kAddressed;
    } else if (peer->connected && peer->peer == s.inode &&
               !(is_reachable(s) && is_reachable(*peer))) {
      s.tie = UnixTie::kPair;
    } else if (is_reachable(*peer)) {
      s.tie = UnixTie::kAddressed;
    } else {
      s.trouble = "its other end has no address";
    }
  }

  std::map<std::uint32_t, UnixFacts*> by_inode_;
  std::set<std::string> listening_;
  std::set<std::uint32_t> waiting_;
};

void parse_attribute(const nlattr& head, const char* at, UnixListing& one) {
  const std::size_t size = head.nla_len - sizeof head;
  auto number = [&](std::size_t index) {
    std::uint32_t value = 0;
    if (size >= (index + 1) * sizeof value) std::memcpy(&value, at + index * sizeof value, 4);
    return value;
  };
  if (head.nla_type == UNIX_DIAG_PEER) {
    one.connected = true;
    one.peer = number(0);
  } else if (head.nla_type == UNIX_DIAG_SHUTDOWN && size >= 1) {
    one.shutdown = static_cast<unsigned char>(at[0]);
  } else if (head.nla_type == UNIX_DIAG_RQLEN) {
    one.backlog = number(1);  // of a listener
  } else if (head.nla_type == UNIX_DIAG_ICONS) {
    for (std::size_t i = 0; i < size / 4; ++i) one.waiting.push_back(number(i));
  }
}

bool parse_one(std::string_view bytes, UnixListing& one) {
  unix_diag_msg head{};
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  one.inode = head.udiag_ino;
  for (bytes.remove_prefix(sizeof head); bytes.size() >= sizeof(nlattr);) {
    nlattr attribute{};
    std::memcpy(&attribute, bytes.data(), sizeof attribute);
    if (attribute.nla_len < sizeof attribute || attribute.nla_len > bytes.size()) return false;
    parse_attribute(attribute, bytes.data() + sizeof attribute, one);
    bytes.remove_prefix(std::min<std::size_t>((attribute.nla_len + 3U) & ~3U, bytes.size()));
  }
  return true;
}

}  // namespace

bool is_abstract(const std::string& name) {
  return name.size() > kPathOffset && name[kPathOffset] == '\0';
}

std::string path_in(const std::string& name) {
  if (name.size() <= kPathOffset || is_abstract(name)) return {};
  return name.substr(kPathOffset, ::strnlen(name.data() + kPathOffset, name.size() - kPathOffset));
}

int descriptors_in_queue(std::string_view info) {
  constexpr std::string_view kKey = "scm_fds:";
  std::size_t at = info.find(kKey);
  return at == std::string_view::npos
             ? 0
             : std::atoi(std::string(info.substr(at + kKey.size(), 16)).c_str());
}

UnixFacts read_unix_facts(int fd, const std::string& root) {
  UnixFacts facts;
  struct stat info {};
  if (::fstat(fd, &info) == 0) facts.inode = static_cast<std::uint32_t>(info.st_ino);
  facts.type = option_of(fd, SO_TYPE);
  facts.listens = option_of(fd, SO_ACCEPTCONN) != 0;
  facts.passes_credentials = option_of(fd, SO_PASSCRED) != 0;
  facts.name = address_of(fd, ::getsockname);
  facts.peer_name = address_of(fd, ::getpeername);
  pollfd look{fd, POLLIN | POLLPRI, 0};  // consumes nothing
  (void)::poll(&look, 1, 0);
  facts.has_error = (look.revents & POLLERR) != 0;
  facts.has_urgent = (look.revents & POLLPRI) != 0;
  int unread = 0;
  bool counted = ::ioctl(fd, SIOCINQ, &unread) == 0;
  facts.has_unread = !facts.listens && ((counted && unread > 0) ||
                                        (is_datagram(facts) && (look.revents & POLLIN) != 0));
  (void)::ioctl(fd, SIOCOUTQ, &facts.unsent);
  read_path(fd, root, facts);
  return facts;
}

std::optional<bool> parse_unix_listing(std::string_view bytes, std::vector<UnixListing>& all) {
  bool last = false;
  while (bytes.size() >= sizeof(nlmsghdr)) {
    nlmsghdr head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > bytes.size()) return std::nullopt;
    if (head.nlmsg_type == NLMSG_ERROR) return std::nullopt;
    if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
        !parse_one(bytes.substr(sizeof head, head.nlmsg_len - sizeof head), all.emplace_back()))
      return std::nullopt;
    last = last || head.nlmsg_type == NLMSG_DONE;
    bytes.remove_prefix(std::min<std::size_t>((head.nlmsg_len + 3U) & ~3U, bytes.size()));
  }
  if (!bytes.empty()) return std::nullopt;
  return last;
}

Result<std::vector<UnixListing>> list_unix_sockets() {
  os::UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!fd.valid()) return os::last_error("listing Unix sockets");
  struct {
    nlmsghdr head;
    unix_diag_req request;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = kAllStates;
  question.request.udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN;
  if (::send(fd.get(), &question, sizeof question, 0) < 0)
    return os::last_error("listing Unix sockets");
  std::vector<UnixListing> all;
  std::string answer(64U << 10U, '\0');
  for (bool last = false; !last;) {
    ssize_t n = ::recv(fd.get(), answer.data(), answer.size(), 0);
    if (n < static_cast<ssize_t>(sizeof(nlmsghdr))) return os::last_error("listing Unix sockets");
    std::string_view bytes(answer.data(), static_cast<std::size_t>(n));
    auto understood = parse_unix_listing(bytes, all);
    if (!understood)
      return fail(ErrorCode::kOs, "the kernel returned a malformed list of Unix sockets");
    last = *understood;
  }
  return all;
}

void tie_unix_sockets(const std::vector<UnixFacts*>& sockets,
                      const std::vector<UnixListing>& listing) {
  std::map<std::uint32_t, const UnixListing*> listed;
  for (const UnixListing& one : listing) listed[one.inode] = &one;
  for (UnixFacts* socket : sockets) {
    auto found = listed.find(socket->inode);
    if (found == listed.end()) {
      socket->trouble = "it belongs to another network namespace";
      continue;
    }
    socket->connected = found->second->connected;
    socket->peer = found->second->peer;
    socket->shutdown = found->second->shutdown;
    socket->backlog = found->second->backlog;
    socket->waiting = found->second->waiting;
  }
  const Tying tying(sockets);
  for (UnixFacts* socket : sockets)
    if (socket->trouble.empty()) tying.tie(*socket);
}

std::optional<std::string> unix_trouble(const UnixFacts& s) {
  if (s.type != SOCK_STREAM && s.type != SOCK_DGRAM && s.type != SOCK_SEQPACKET)
    return "the native engine does not know this kind of socket";
  if (s.descriptors != 0) return "it has descriptors in its queue";
  if (s.has_urgent) return "it has urgent data";
  if (s.has_error && (is_datagram(s) || s.peer != 0)) return "it has a pending error";
  if (s.has_unread && s.passes_credentials) return "it has unread data with credentials";
  if (!s.trouble.empty()) return s.trouble;
  if (s.file_moved) return "its file was renamed";
  if (s.directory_gone) return "the directory of its file was removed";
  return std::nullopt;
}

}  // namespace sf::waypoint::native
