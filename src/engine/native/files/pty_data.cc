#include "engine/native/files/pty_data.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "engine/native/files/terminal_calls.h"
#include "engine/native/ptrace/remote_fd.h"
#include "os/error.h"
#include "os/fd.h"
#include "os/terminals/typed_queue.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kSetSettings = 0x402c542b;  // TCSETS2
constexpr unsigned kOpenSlave = 0x5441;        // TIOCGPTPEER
constexpr unsigned kStopOrGo = 0x540a;         // TCXONC
constexpr unsigned kStop = 0;                  // TCOOFF
constexpr unsigned kGo = 1;                    // TCOON
constexpr auto kPassingTime = std::chrono::seconds(5);

termios2 settings_from(const std::string& bytes) {
  termios2 settings{};
  std::memcpy(&settings, bytes.data(), std::min(bytes.size(), sizeof settings));
  return settings;
}

std::string bytes_of(const termios2& settings) {
  return {reinterpret_cast<const char*>(&settings), sizeof settings};
}

bool is_canonical(const TerminalImage& terminal) {
  return (settings_from(terminal.settings).c_lflag & ICANON) != 0;
}

bool ready_for(int fd, short what) {
  pollfd look{fd, what, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & what) != 0;
}

// Reads once. False if no data is available.
bool take(int fd, std::string& bytes) {
  if (!ready_for(fd, POLLIN)) return false;
  char buffer[65536];
  ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got < 0) return false;
  bytes.assign(buffer, static_cast<std::size_t>(got));
  return true;
}

std::string take_all(int fd) {
  std::string all;
  for (std::string some; take(fd, some) && !some.empty();) all += some;
  return all;
}

os::TypedAhead typed_in(const TerminalData& data) {
  return os::join_lines({data.lines, data.typed});
}

class Terminal {
 public:
  Terminal(int master, const TerminalImage& image)
      : master_(master), image_(image), canonical_(is_canonical(image)) {}
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { (void)leave(); }

  // Stops packet mode, so that the master sees no notifications until leave(); opens the slave.
  Status enter() {
    in_ = true;
    if (image_.packets != 0) SF_TRY(command(kSetPacketMode, 0));
    if (image_.locked != 0) SF_TRY(command(kSetLock, 0));
    slave_.reset(::ioctl(master_, kOpenSlave, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (!slave_.valid()) return os::last_error("opening a terminal");
    return Ok{};
  }

  Status take_data(Slaves slaves, TerminalData& data) {
    // Echo is off, so the terminal adds nothing to its output. Once the output is read, the slave
    // is writable unless the output is stopped.
    termios2 quiet = settings_from(quiet_settings(image_.settings, 0));
    quiet.c_iflag |= settings_from(image_.settings).c_iflag & IXON;
    std::memcpy(quiet.c_cc + VSTART, settings_from(image_.settings).c_cc + VSTART, 2);
    SF_TRY(set(bytes_of(quiet)));
    data.output = take_all(master_);
    data.stopped = ready_for(slave_.get(), POLLOUT) ? kFlows : kByCharacter;
    if (data.stopped != kFlows) {  // only TCOON resumes output that TCOOFF stopped
      SF_TRY(check(::ioctl(slave_.get(), kStopOrGo, kGo)));
      if (ready_for(slave_.get(), POLLOUT)) data.stopped = kByCall;
    }
    if (slaves == Slaves::kClosed) return Ok{};
    if (canonical_) {
      os::TypedAhead typed;
      os::read_lines(slave_.get(), typed);
      data.lines = os::split_lines(typed).lines;
      quiet.c_lflag = 0;  // noncanonical mode also returns an unfinished line
      SF_TRY(set(bytes_of(quiet)));
    }
    data.typed = take_all(slave_.get());
    return Ok{};
  }

  Status put_data(const TerminalData& data) {
    const os::TypedAhead typed = typed_in(data);
    const char end = os::unused_character(typed.bytes);
    SF_TRY(set(quiet_settings(image_.settings, static_cast<unsigned char>(end))));
    SF_TRY(write(slave_.get(), data.output));
    SF_TRY(write(master_, os::with_ends(typed, end)));
    // The settings stay quiet until the slave can read all input.
    if (!os::await_readable(slave_.get(), os::readable_bytes(typed, canonical_),
                            Deadline::after(kPassingTime)))
      return fail(ErrorCode::kOs, "a terminal does not accept its input");
    return Ok{};
  }

  Status leave() {
    if (!std::exchange(in_, false)) return Ok{};
    const TerminalData& data = image_.data;
    const termios2 settings = settings_from(image_.settings);
    SF_TRY(set(image_.settings));
    if (data.stopped == kByCharacter && (settings.c_iflag & IXON) != 0) {
      SF_TRY(write(master_, std::string(1, static_cast<char>(settings.c_cc[VSTOP]))));
      const Deadline deadline = Deadline::after(kPassingTime);
      while (ready_for(slave_.get(), POLLOUT) && !deadline.passed()) (void)::poll(nullptr, 0, 1);
    } else if (data.stopped != kFlows) {
      SF_TRY(check(::ioctl(slave_.get(), kStopOrGo, kStop)));
    }
    if ((image_.exclusive & kExclusiveSlave) != 0)
      SF_TRY(check(::ioctl(slave_.get(), kBeExclusive)));
    if ((image_.exclusive & kExclusiveMaster) != 0) SF_TRY(check(::ioctl(master_, kBeExclusive)));
    slave_.reset();
    if (image_.locked != 0) SF_TRY(command(kSetLock, 1));
    if (image_.packets != 0) SF_TRY(command(kSetPacketMode, 1));
    return Ok{};
  }

 private:
  static Status check(int result) {
    if (result < 0) return os::last_error("setting up a terminal");
    return Ok{};
  }
  Status command(unsigned request, int value) { return check(::ioctl(master_, request, &value)); }
  Status set(const std::string& settings) {
    return check(::ioctl(master_, kSetSettings, settings.data()));
  }
  // Waits if the buffer is full: it had room for these bytes before.
  static Status write(int fd, const std::string& bytes) {
    const Deadline deadline = Deadline::after(kPassingTime);
    for (std::size_t done = 0; done < bytes.size();) {
      ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
      if (n > 0) done += static_cast<std::size_t>(n);
      if (n < 0 && (errno != EAGAIN || deadline.passed()))
        return os::last_error("writing back unread data of a terminal");
      if (n < 0) (void)::poll(nullptr, 0, 1);
    }
    return Ok{};
  }

  int master_;
  const TerminalImage& image_;
  bool canonical_;
  bool in_ = false;
  os::UniqueFd slave_;
};

bool has_any(const TerminalData& data) {
  return !data.output.empty() || !data.lines.empty() || !data.typed.empty() || data.stopped != 0;
}

Status put_back(int master, const TerminalImage& image) {
  Terminal terminal(master, image);
  SF_TRY(terminal.enter());
  SF_TRY(terminal.put_data(image.data));
  return terminal.leave();
}

}  // namespace

std::string quiet_settings(const std::string& settings, unsigned char end_of_file) {
  termios2 quiet = settings_from(settings);
  quiet.c_iflag = os::kQuietInput;
  quiet.c_oflag = 0;
  quiet.c_lflag &= ICANON;
  os::set_only_meaning(quiet.c_cc, VMIN, VEOF, static_cast<char>(end_of_file));
  return bytes_of(quiet);
}

Status capture_pty_data(int master, Slaves slaves, TerminalImage& image) {
  if (slaves == Slaves::kClosed && (image.hung_up == 0 || !ready_for(master, POLLIN))) return Ok{};
  Terminal terminal(master, image);
  SF_TRY(terminal.enter());
  Status taken = terminal.take_data(slaves, image.data);
  // Even after a failure: the data belongs to the terminal.
  if (has_any(image.data)) SF_TRY(terminal.put_data(image.data));
  SF_TRY(taken);
  return terminal.leave();
}

Status bring_back_pty_data(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers) {
  for (const TerminalImage& image : tree.ptys) {
    if (!has_any(image.data) && image.exclusive == 0) continue;
    for (const ProcessImage& process : tree.processes) {
      auto found = std::ranges::find_if(process.descriptors, [&](const Descriptor& fd) {
        const FileImage& file = tree.files[fd.file];
        return file.kind == FileKind::kMaster && file.terminal == image.number;
      });
      auto pid = numbers.find(process.pid);
      if (found == process.descriptors.end() || pid == numbers.end()) continue;
      SF_TRY_ASSIGN(os::UniqueFd master, descriptor_of(pid->second, found->number));
      SF_TRY(put_back(master.get(), image));
      break;
    }
  }
  return Ok{};
}

}  // namespace sf::waypoint::native
