#include <fcntl.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "engine/native/files/directory_of.h"
#include "engine/native/sockets/internet_sockets.h"
#include "engine/native/sockets/unix_sockets.h"
#include "os/in_root.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kStackSize = 8192;
constexpr std::size_t kSmall = 32U << 10U;  // fits into every socket's buffer
constexpr int kSending = MSG_DONTWAIT | MSG_NOSIGNAL;

// A name that is bound for a moment. If a file has that name, it is moved aside meanwhile.
struct Moment {
  std::string path;
  bool occupied = false;
};

class UnixRestore {
 public:
  UnixRestore(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
              const AsyncRoot& root, std::uint64_t failure)
      : program_(program),
        arena_(program.arena()),
        tree_(tree),
        locations_(locations),
        root_(os::InRoot::open(root.path())),
        failure_(failure) {
    for (std::uint32_t i = 0; i < tree.files.size(); ++i) {
      const FileImage& file = tree.files[i];
      if (file.kind != FileKind::kSocket || file.socket.family != AF_UNIX) continue;
      all_.push_back(i);
      by_inode_[file.socket.local.inode] = i;
    }
  }

  void run() {
    for (std::uint32_t i : all_) make(i);
    for (std::uint32_t i : all_) tie(i);
    for (std::uint32_t i : all_) let_wait(i);
    for (std::uint32_t i : all_) fill(i);
    for (std::uint32_t i : all_) address(i);
    for (std::uint32_t i : all_) finish(i);
  }

 private:
  const SocketImage& socket(std::uint32_t i) const { return tree_.files[i].socket; }
  int location(std::uint32_t i) const { return locations_.first + static_cast<int>(i); }
  // The socket's other end, if it is in the tree.
  const std::uint32_t* peer(std::uint32_t i) const {
    auto found = by_inode_.find(socket(i).local.peer);
    return socket(i).local.peer == 0 || found == by_inode_.end() ? nullptr : &found->second;
  }

  void move(Argument fd, int number) {
    program_.call(SYS_dup3, {fd, number, O_CLOEXEC});
    program_.call(SYS_close, {fd});
  }

  Argument new_socket(int type) {
    program_.about("making a Unix socket");
    return program_.keep(SYS_socket, {AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0});
  }

  void with_name(ProgramWriter& program, long call, Argument fd, const std::string& name) {
    program.about((call == SYS_bind ? "address " : "connecting to ") +
                  (is_abstract(name) ? "@" + name.substr(3) : path_in(name)));
    program.call(call, {fd, arena_.put(name.data(), name.size()), name.size()});
  }

  // Runs steps in a helper process: the kernel records its pid and ids as the maker's.
  void as(const SocketMaker& who, const std::function<void(ProgramWriter&)>& steps) {
    if (who.pid <= 1) return steps(program_);
    ProgramWriter other = program_.another();
    other.about("process " + std::to_string(who.pid) + " as the maker of a socket");
    other.call(SYS_prctl, {PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0});
    other.call(SYS_setresgid, {who.gid, who.gid, who.gid});
    other.call(SYS_setresuid, {who.uid, who.uid, who.uid});
    steps(other);
    other.call(SYS_exit_group, {0});
    clone_args args{};
    args.flags = CLONE_VM | CLONE_FILES;
    args.stack = arena_.reserve(kStackSize);
    args.stack_size = kStackSize;
    args.set_tid = arena_.put_value(who.pid);
    args.set_tid_size = 1;
    program_.about("forking the maker of a socket");
    program_.call(kFork, {arena_.put_value(args), other.finish(0, failure_)});
    program_.call(SYS_wait4, {who.pid, 0, __WALL, 0});
  }

  std::optional<struct stat> look(const std::string& path) const {
    auto info = root_ ? root_->look(path) : Result<struct stat>(root_.error());
    return info ? std::optional(*info) : std::nullopt;
  }

  void keep_times(const std::string& directory) {
    auto info = look(directory);
    if (!info) return;
    std::array<timespec, 2> times = {info->st_atim, info->st_mtim};
    program_.call(SYS_utimensat,
                  {AT_FDCWD, arena_.put_text(directory), arena_.put_value(times), 0});
  }

  Moment begin_moment(const std::string& name, const std::string& path) {
    Moment moment{path.empty() ? path_in(name) : path, false};
    if (moment.path.empty()) return moment;
    moment.occupied = look(moment.path).has_value();
    if (moment.occupied) rename(moment.path, aside(moment.path));
    return moment;
  }

  void end_moment(const Moment& moment) {
    if (moment.path.empty()) return;
    program_.about("removing " + moment.path);
    program_.call(SYS_unlinkat, {AT_FDCWD, arena_.put_text(moment.path), 0});
    if (moment.occupied) rename(aside(moment.path), moment.path);
    keep_times(directory_of(moment.path));
  }

  static std::string aside(const std::string& path) { return path + ".waypoint-aside"; }

  void rename(const std::string& from, const std::string& to) {
    program_.about("moving " + from + " aside");
    program_.call(SYS_renameat, {AT_FDCWD, arena_.put_text(from), AT_FDCWD, arena_.put_text(to)});
  }

  // A relative name is relative to some directory: change to it.
  void enter_directory(const std::string& name, const std::string& path) {
    std::string given = path_in(name);
    if (given.empty() || given[0] == '/' || path.size() <= given.size()) return;
    program_.call(SYS_chdir, {arena_.put_text(path.substr(
                                 0, std::max<std::size_t>(path.size() - given.size() - 1, 1)))});
  }

  void leave_directory() { program_.call(SYS_chdir, {arena_.put_text("/")}); }

  void bind_own(std::uint32_t i) {
    const SocketImage& s = socket(i);
    if (is_abstract(s.name)) return with_name(program_, SYS_bind, location(i), s.name);
    const std::string& path = s.local.path;
    enter_directory(s.name, path);
    if (s.local.path_gone != 0) {
      Moment moment = begin_moment(s.name, path);
      with_name(program_, SYS_bind, location(i), s.name);
      end_moment(moment);
    } else {
      std::uint64_t at = arena_.put_text(path);
      auto before = look(path);
      program_.about("replacing " + path);
      program_.call(SYS_unlinkat, {AT_FDCWD, at, 0});
      with_name(program_, SYS_bind, location(i), s.name);
      if (before) {
        std::array<timespec, 2> times = {before->st_atim, before->st_mtim};
        program_.call(SYS_fchownat, {AT_FDCWD, at, before->st_uid, before->st_gid, 0});
        program_.call(SYS_fchmodat, {AT_FDCWD, at, before->st_mode & 07777U});
        program_.call(SYS_utimensat, {AT_FDCWD, at, arena_.put_value(times), 0});
      }
      keep_times(directory_of(path));
    }
    leave_directory();
  }

  // Creates sockets that need no other end.
  void make(std::uint32_t i) {
    const SocketImage& s = socket(i);
    if (s.local.tie == UnixTie::kPair || s.local.tie == UnixTie::kServer) return;
    move(new_socket(s.type), location(i));
    if (!s.name.empty()) bind_own(i);
    if (s.listens == 0) return;
    as(s.local.maker, [&](ProgramWriter& program) {
      program.about("listening");
      program.call(SYS_listen, {location(i), s.backlog});
    });
  }

  void tie(std::uint32_t i) {
    const UnixImage& local = socket(i).local;
    const std::uint32_t* other = peer(i);
    if (local.tie == UnixTie::kPair && (other == nullptr || i < *other)) make_pair(i, other);
    if (local.tie == UnixTie::kClient) connect(i, other);
    if (local.tie == UnixTie::kServer && other == nullptr) accept_from_nobody(i);
  }

  void make_pair(std::uint32_t i, const std::uint32_t* other) {
    std::uint64_t ends = arena_.reserve(2 * sizeof(int));
    as(socket(i).local.maker, [&](ProgramWriter& program) {
      program.about("making a pair of sockets");
      program.call(SYS_socketpair,
                   {AF_UNIX, socket(i).type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends});
    });
    Argument one = program_.keep(kLoad, {ends});
    Argument two = program_.keep(kLoad, {ends + sizeof(int)});
    move(one, location(i));
    if (other != nullptr) {
      move(two, location(*other));
      if (!socket(*other).name.empty()) bind_own(*other);
    } else {
      gone_.emplace(i, two);
    }
    if (!socket(i).name.empty()) bind_own(i);
  }

  // The listener at that name, if clients can still connect to it.
  const std::uint32_t* listener(int type, const std::string& name, const std::string& path) const {
    auto found = std::ranges::find_if(all_, [&](std::uint32_t i) {
      const SocketImage& s = socket(i);
      return s.listens != 0 && s.type == type && s.name == name && s.local.path_gone == 0 &&
             (path.empty() || path == s.local.path);
    });
    return found == all_.end() ? nullptr : &*found;
  }

  // Returns the socket that accepts the client. `client`: the same number in every process.
  Argument connect_and_accept(Argument client, int type, const std::string& name,
                              const std::string& path, const SocketMaker& connects,
                              const SocketMaker& listens) {
    const std::uint32_t* live = listener(type, name, path);
    auto connecting = [&](ProgramWriter& p) { with_name(p, SYS_connect, client, name); };
    auto accepting = [&](Argument from) {
      program_.about("accepting a connection");
      return program_.keep(SYS_accept4, {from, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK});
    };
    enter_directory(name, live != nullptr ? socket(*live).local.path : path);
    if (live != nullptr) {
      as(connects, connecting);
      leave_directory();
      return accepting(location(*live));
    }
    Moment moment = begin_moment(name, path);
    move(new_socket(type), locations_.scratch);
    with_name(program_, SYS_bind, locations_.scratch, name);
    as(listens, [&](ProgramWriter& p) { p.call(SYS_listen, {locations_.scratch, 1}); });
    as(connects, connecting);
    Argument accepted = accepting(locations_.scratch);
    program_.call(SYS_close, {locations_.scratch});
    end_moment(moment);
    leave_directory();
    return accepted;
  }

  void connect(std::uint32_t i, const std::uint32_t* other) {
    const SocketImage& s = socket(i);
    const std::string& name = other != nullptr ? socket(*other).name : s.local.peer_name;
    Argument server = connect_and_accept(
        location(i), s.type, name, other != nullptr ? socket(*other).local.path : std::string(),
        other != nullptr ? socket(*other).local.maker : SocketMaker{}, s.local.maker);
    if (other != nullptr) {
      move(server, location(*other));
    } else {
      gone_.emplace(i, server);
    }
  }

  void accept_from_nobody(std::uint32_t i) {
    const SocketImage& s = socket(i);
    move(new_socket(s.type), locations_.helper);  // a number that the maker process also has
    if (!s.local.peer_name.empty()) bind_for_a_moment(locations_.helper, s.local.peer_name);
    Argument server =
        connect_and_accept(locations_.helper, s.type, s.name, s.local.path, s.local.maker, {});
    move(server, location(i));
    gone_.emplace(i, program_.keep(SYS_fcntl, {locations_.helper, F_DUPFD_CLOEXEC, 0}));
    program_.call(SYS_close, {locations_.helper});
  }

  void bind_for_a_moment(Argument fd, const std::string& name) {
    Moment moment = begin_moment(name, {});
    with_name(program_, SYS_bind, fd, name);
    end_moment(moment);
  }

  SocketMaker holder(std::uint32_t i) const {
    pid_t pid = tree_.files[i].event.owner;
    auto found = std::ranges::find(tree_.processes, pid, &ProcessImage::pid);
    if (found == tree_.processes.end()) return {};
    const Credentials& who = found->threads[0].credentials;
    return {pid, who.uids[1], who.gids[1]};
  }

  void let_wait(std::uint32_t i) {
    for (std::uint32_t inode : socket(i).local.waiting) {
      auto client = by_inode_.find(inode);
      if (client == by_inode_.end()) continue;
      enter_directory(socket(i).name, socket(i).local.path);
      as(holder(client->second), [&](ProgramWriter& p) {
        with_name(p, SYS_connect, location(client->second), socket(i).name);
      });
      leave_directory();
    }
  }

  void send(Argument from, const SocketMessage& message, const std::string& to) {
    program_.about("filling a socket");
    program_.call_exactly(
        static_cast<long>(message.bytes.size()), SYS_sendto,
        {from, arena_.put(message.bytes.data(), message.bytes.size()), message.bytes.size(),
         kSending, to.empty() ? 0 : arena_.put(to.data(), to.size()), to.size()});
  }

  void set_room(Argument fd, std::size_t size) {
    program_.about("room in a socket");
    program_.call(SYS_setsockopt, {fd, SOL_SOCKET, SO_SNDBUFFORCE,
                                   arena_.put_value(static_cast<int>(size)), sizeof(int)});
  }

  void fill(std::uint32_t i) {
    const SocketImage& s = socket(i);
    if (s.local.queue.empty()) return;
    if (s.type == SOCK_DGRAM && s.local.tie != UnixTie::kPair) {
      for (const SocketMessage& message : s.local.queue) deliver(message, s);
      return;
    }
    const std::uint32_t* other = peer(i);
    Argument sender = other != nullptr ? Argument(location(*other)) : gone_.at(i);
    std::size_t total = 0;
    for (const SocketMessage& message : s.local.queue) total += message.bytes.size() + 1024;
    if (total > kSmall) set_room(sender, 2 * total);
    for (const SocketMessage& message : s.local.queue) send(sender, message, {});
    if (total > kSmall && other != nullptr)
      set_room(sender, static_cast<std::size_t>(socket(*other).local.send_buffer / 2));
  }

  // Sends the datagram from the socket with the sender's name, or from a temporary one.
  void deliver(const SocketMessage& message, const SocketImage& receiver) {
    auto send_there = [&](Argument from) {
      enter_directory(receiver.name, receiver.local.path);
      send(from, message, receiver.name);
      leave_directory();
    };
    auto known = std::ranges::find_if(all_, [&](std::uint32_t i) {
      const SocketImage& s = socket(i);
      return !message.from.empty() && s.type == SOCK_DGRAM && s.name == message.from &&
             s.local.tie != UnixTie::kPair;
    });
    if (known != all_.end() && message.bytes.size() < kSmall) return send_there(location(*known));
    Argument sender = new_socket(SOCK_DGRAM);
    set_room(sender, 2 * message.bytes.size() + kSmall);
    if (message.from.empty() || is_abstract(message.from)) {
      if (!message.from.empty()) with_name(program_, SYS_bind, sender, message.from);
      send_there(sender);
    } else {
      Moment moment = begin_moment(message.from, {});
      with_name(program_, SYS_bind, sender, message.from);
      send_there(sender);
      end_moment(moment);
    }
    program_.call(SYS_close, {sender});
  }

  // Connects datagram sockets last: a connected one accepts no datagrams from other sockets.
  void address(std::uint32_t i) {
    const SocketImage& s = socket(i);
    if (s.local.tie != UnixTie::kAddressed) return;
    if (const std::uint32_t* other = peer(i)) {
      enter_directory(socket(*other).name, socket(*other).local.path);
      with_name(program_, SYS_connect, location(i), socket(*other).name);
      return leave_directory();
    }
    Moment moment = begin_moment(s.local.peer_name, {});
    Argument other = new_socket(SOCK_DGRAM);
    with_name(program_, SYS_bind, other, s.local.peer_name);
    with_name(program_, SYS_connect, location(i), s.local.peer_name);
    program_.call(SYS_close, {other});
    end_moment(moment);
  }

  void finish(std::uint32_t i) {
    const FileImage& file = tree_.files[i];
    auto gone = gone_.find(i);
    if (gone != gone_.end()) {
      // Closing an end with unread data is an error at the other end.
      if (file.socket.local.has_error != 0) send(location(i), {"x", {}}, {});
      program_.call(SYS_close, {gone->second});
    } else if (file.socket.local.shutdown != 0) {
      program_.about("shutting a socket");
      program_.call(SYS_shutdown, {location(i), file.socket.local.shutdown - 1});
    }
    program_.about("options of a Unix socket");
    for (const SocketOption& option : file.socket.options)
      set_option(program_, location(i), option);
    program_.call(SYS_fcntl, {location(i), F_SETFL, file.flags});
  }

  ProgramWriter& program_;
  Arena& arena_;
  const TreeImage& tree_;
  const FdLocations& locations_;
  Result<os::InRoot> root_;
  std::uint64_t failure_;
  std::vector<std::uint32_t> all_;
  std::map<std::uint32_t, std::uint32_t> by_inode_;
  std::map<std::uint32_t, Argument> gone_;  // other ends that will be closed
};

}  // namespace

void open_unix_sockets(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                       const AsyncRoot& root, std::uint64_t failure) {
  bool any = std::ranges::any_of(tree.files, [](const FileImage& file) {
    return file.kind == FileKind::kSocket && file.socket.family == AF_UNIX;
  });
  if (any) UnixRestore(program, tree, locations, root, failure).run();
}

}  // namespace sf::waypoint::native
