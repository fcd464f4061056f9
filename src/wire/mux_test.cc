// Tests two ends of a multiplexed stream in two threads, as on a host and in a sandbox.
#include "wire/mux.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/file.h"
#include "testing/matchers.h"

namespace sf::wire {
namespace {

constexpr std::size_t kSize = 3'000'000;  // of each message

struct Pair {
  os::UniqueFd a;
  os::UniqueFd b;
};
Pair make_pair() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// The serving end: returns kSize bytes to each connection, then closes it.
class Echo {
 public:
  explicit Echo(os::UniqueFd stream) : stream_(std::move(stream)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Echo() {
    thread_.join();
    for (std::thread& each : answering_) each.join();
  }

 private:
  void run() {
    auto poller = os::Poller::create();
    ASSERT_OK(poller);
    os::UniqueFd out(::dup(stream_.get()));
    Mux mux(*poller, std::move(stream_), std::move(out), [this]() -> Result<os::UniqueFd> {
      Pair pair = make_pair();
      answering_.emplace_back([fd = pair.b.release()] {
        os::UniqueFd own(fd);
        char buffer[10000];
        std::size_t seen = 0;
        for (ssize_t n = 0; seen < kSize && (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
          seen += static_cast<std::size_t>(n);
          (void)os::write_all(fd, {buffer, static_cast<std::size_t>(n)});
        }
      });
      return std::move(pair.a);
    });
    ASSERT_OK(mux.start());
    while (!mux.closed()) ASSERT_OK(poller->run_once(Deadline::after(seconds(1))));
  }
  os::UniqueFd stream_;
  std::thread thread_;
  std::vector<std::thread> answering_;
};

TEST(MuxTest, ClosedPeerClosesTheMuxWithoutKillingTheProcess) {
  auto poller = os::Poller::create();
  ASSERT_OK(poller);
  Pair stream = make_pair();
  os::UniqueFd out(::dup(stream.a.get()));
  Mux mux(*poller, std::move(stream.a), std::move(out),
          []() -> Result<os::UniqueFd> { return invalid("unexpected connection"); });
  ASSERT_OK(mux.start());
  stream.b.reset();
  mux.reset_peer(1);
  EXPECT_TRUE(mux.closed());
}

TEST(MuxTest, ManyConnectionsWithLargeMessagesDoNotMix) {
  Pair stream = make_pair();
  Echo echo(std::move(stream.b));
  auto poller = os::Poller::create();
  ASSERT_OK(poller);
  os::UniqueFd out(::dup(stream.a.get()));
  Mux mux(*poller, std::move(stream.a), std::move(out),
          []() -> Result<os::UniqueFd> { return invalid("unexpected connection"); });
  ASSERT_OK(mux.start());
  mux.reset_peer(1);
  Deadline answer = Deadline::after(seconds(20));
  while (mux.is_waiting() && !answer.passed())
    ASSERT_OK(poller->run_once(Deadline::after(milliseconds(20))));
  constexpr int kConnections = 20;
  std::atomic<int> right = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> users;
  for (int i = 0; i < kConnections; ++i) {
    Pair pair = make_pair();
    mux.open(std::move(pair.a));
    users.emplace_back([&, i, fd = pair.b.release()] {
      os::UniqueFd own(fd);
      std::string sent(kSize, static_cast<char>('a' + i));
      sent[kSize / 2] = '\xC0';
      sent[kSize / 3] = '\xDB';
      std::thread writer([&] { EXPECT_OK(os::write_all(fd, sent)); });
      right += read_all(fd) == sent ? 1 : 0;
      writer.join();
      ++done;
    });
  }
  Deadline patience = Deadline::after(seconds(60));
  while (done < kConnections && !patience.passed())
    ASSERT_OK(poller->run_once(Deadline::after(milliseconds(20))));
  for (std::thread& user : users) user.join();
  EXPECT_EQ(right, kConnections);
}

}  // namespace
}  // namespace sf::wire
