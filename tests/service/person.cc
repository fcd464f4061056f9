#include "person.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "os/socket.h"

namespace sf::test {
namespace {

constexpr auto kSightTimeout = seconds(60);

}  // namespace

Person::Person(const std::vector<std::string>& argv) {
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_ = ::forkpty(&master, nullptr, nullptr, &size);
  if (pid_ == 0) {
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  master_.reset(master);
  EXPECT_TRUE(os::set_nonblocking(master).ok());
}

Person::~Person() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Person::type(const std::string& keys) {
  ASSERT_EQ(::write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

bool Person::paste(std::string_view text) {
  pasted_ = 0;
  for (Deadline patience = Deadline::after(kSightTimeout); !text.empty();) {
    pollfd ready{master_.get(), POLLIN | POLLOUT, 0};
    if (::poll(&ready, 1, patience.poll_timeout_ms()) <= 0) return false;
    if ((ready.revents & POLLIN) != 0 && !read_some(patience)) return false;
    const ssize_t n = ::write(master_.get(), text.data(), std::min<std::size_t>(text.size(), 4096));
    if (n < 0 && errno != EAGAIN) return false;
    // poll() may report a full terminal as writable.
    if (n <= 0 && patience.passed()) return false;
    if (n <= 0 && (ready.revents & POLLIN) == 0) (void)::poll(nullptr, 0, 1);
    if (n <= 0) continue;
    text.remove_prefix(static_cast<std::size_t>(n));
    pasted_ += static_cast<std::size_t>(n);
    patience = Deadline::after(kSightTimeout);
  }
  return true;
}

void Person::resize(unsigned short rows, unsigned short cols) {
  winsize size{.ws_row = rows, .ws_col = cols, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
}

bool Person::read_some(Deadline deadline) {
  pollfd ready{master_.get(), POLLIN, 0};
  char buffer[65536];
  if (::poll(&ready, 1, deadline.poll_timeout_ms()) <= 0) return false;
  const ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
  if (n <= 0) return n < 0 && errno == EAGAIN;
  shown_.append(buffer, static_cast<std::size_t>(n));
  transcript_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

::testing::AssertionResult Person::sees(const std::string& text) {
  if (sees_soon(text, kSightTimeout)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not seen: " << text << "\n" << shown_;
}

bool Person::sees_soon(const std::string& text, milliseconds time) {
  Deadline patience = Deadline::after(time);
  while (shown_.find(text) == std::string::npos) {
    if (!read_some(patience)) return false;
  }
  shown_.erase(0, shown_.find(text) + text.size());
  return true;
}

int Person::exit_code() {
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace sf::test
