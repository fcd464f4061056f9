// Pipes, FIFOs and pseudo-terminals.
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

void fill(Chance& chance, int write_end) {
  std::string bytes = chance.bytes(chance.of({0U, 1U, 100U, 4096U, 5000U, 60'000U}));
  if (!bytes.empty()) must(::write(write_end, bytes.data(), bytes.size()), "write to a pipe");
}

void drain(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  char block[65536];
  while (::read(fd, block, sizeof block) > 0) {
  }
}

class Pipe : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    int ends[2];
    must(::pipe2(ends, chance.of({0, O_CLOEXEC, O_NONBLOCK})), "pipe2");
    out_.reset(ends[0]);
    in_.reset(ends[1]);
    if (chance.flip()) must(::fcntl(in_.get(), F_SETPIPE_SZ, chance.of({65536, 131072})), "size");
    fill(chance, in_.get());
    left_to_child_ = chance.below(3);
    if (chance.once_in(4)) in_.reset();  // no writer is left
    if (chance.once_in(5)) {
      must(::fcntl(out_.get(), F_SETSIG, SIGURG), "F_SETSIG");
      must(::fcntl(out_.get(), F_SETOWN, ::getpid()), "F_SETOWN");
      must(::fcntl(out_.get(), F_SETFL, ::fcntl(out_.get(), F_GETFL) | O_ASYNC), "O_ASYNC");
    }
  }
  void look(Report& report) override {
    if (in_.open()) say_descriptor(report, "in", in_.get());
    if (!out_.open()) return;
    say_descriptor(report, "out", out_.get());
    report.say("holds", peek_pipe(out_.get()));
    report.say_result("size", ::fcntl(out_.get(), F_GETPIPE_SZ));
    report.say_result("signal", ::fcntl(out_.get(), F_GETSIG));
    report.say_result("owner", ::fcntl(out_.get(), F_GETOWN));
  }
  void disturb() override {
    if (out_.open()) drain(out_.get());
    for (Fd* end : {&in_, &out_})
      if (end->open()) ::fcntl(end->get(), F_SETFD, 1 - ::fcntl(end->get(), F_GETFD));
  }
  bool is_inherited() const override { return in_.open() || out_.open(); }
  void part(Side side) override {
    bool is_child = side == Side::kChild;
    if (left_to_child_ == 1 && in_.open()) (is_child ? out_ : in_).reset();
    left_to_child_ = 0;
  }

 private:
  Fd out_;
  Fd in_;
  int left_to_child_ = 0;
};

class NamedPipe : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    must(::mkfifo(path.c_str(), 0622), path);
    out_.reset(must(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), path));
    in_.reset(must(::open(path.c_str(), O_WRONLY | chance.of({0, O_CLOEXEC})), path));
    if (chance.once_in(3)) both_.reset(must(::open(path.c_str(), O_RDWR), path));
    fill(chance, in_.get());
    if (chance.once_in(3)) in_.reset();
  }
  void look(Report& report) override {
    say_descriptor(report, "out", out_.get());
    if (in_.open()) say_descriptor(report, "in", in_.get());
    if (both_.open()) say_descriptor(report, "both", both_.get());
    report.say("holds", peek_pipe(out_.get()));
  }
  void disturb() override {
    drain(out_.get());
    if (in_.open()) in_.reset();
    ::fcntl(out_.get(), F_SETFL, 0);
  }
  bool is_inherited() const override { return true; }

 private:
  Fd out_;
  Fd in_;
  Fd both_;
};

// In raw mode, so that both ends see the same bytes.
class Terminal : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    winsize window{};
    window.ws_row = static_cast<unsigned short>(1 + chance.below(100));
    window.ws_col = static_cast<unsigned short>(1 + chance.below(200));
    int master = -1;
    int slave = -1;
    must(::openpty(&master, &slave, nullptr, nullptr, &window), "openpty");
    master_.reset(master);
    slave_.reset(slave);
    termios settings{};
    must(::tcgetattr(slave, &settings), "tcgetattr");
    ::cfmakeraw(&settings);
    settings.c_cc[VMIN] = static_cast<cc_t>(chance.below(2));
    settings.c_cc[VTIME] = static_cast<cc_t>(chance.below(5));
    settings.c_cc[VERASE] = static_cast<cc_t>(1 + chance.below(30));
    if (chance.flip()) settings.c_lflag |= ECHOE | ECHOK;
    ::cfsetspeed(&settings, chance.of({speed_t{B9600}, speed_t{B38400}, speed_t{B115200}}));
    must(::tcsetattr(slave, TCSANOW, &settings), "tcsetattr");
    if (chance.once_in(3)) {
      int on = 1;
      must(::ioctl(master, TIOCPKT, &on), "TIOCPKT");
    }
    if (chance.once_in(4)) must(::fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK), "F_SETFL");
  }
  void look(Report& report) override {
    say_descriptor(report, "master", master_.get());
    say_descriptor(report, "slave", slave_.get());
    char name[64] = {};
    ::ptsname_r(master_.get(), name, sizeof name);
    report.say("name", name);
    termios settings{};
    report.say_result("settings", ::tcgetattr(slave_.get(), &settings));
    report.say("modes", settings.c_iflag ^ settings.c_oflag << 1U ^ settings.c_cflag << 2U ^
                            settings.c_lflag << 3U);
    report.say("keys", hex(hash_of({reinterpret_cast<char*>(settings.c_cc), NCCS})));
    winsize window{};
    ::ioctl(slave_.get(), TIOCGWINSZ, &window);
    report.say("rows", window.ws_row).say("columns", window.ws_col);
    report.say("down", through(master_.get(), slave_.get()));
    report.say("up", through(slave_.get(), master_.get()));
  }
  void disturb() override {
    termios settings{};
    ::tcgetattr(slave_.get(), &settings);
    settings.c_cc[VERASE] = 99;
    ::tcsetattr(slave_.get(), TCSANOW, &settings);
    winsize window{500, 500, 0, 0};
    ::ioctl(slave_.get(), TIOCSWINSZ, &window);
  }
  bool is_inherited() const override { return true; }

 private:
  static std::string through(int from, int to) {
    if (::write(from, "x", 1) != 1) return "unwritten";
    if (!readable(to)) return "nothing";
    char got[16];
    ssize_t n = ::read(to, got, sizeof got);
    return n < 0 ? ::strerrorname_np(errno) : hex(hash_of({got, static_cast<std::size_t>(n)}));
  }
  Fd master_;
  Fd slave_;
};

}  // namespace

std::vector<Kind> pipe_kinds() {
  return {
      {"pipe", create<Pipe>}, {"named-pipe", create<NamedPipe>}, {"terminal", create<Terminal>}};
}

}  // namespace zoo
