// The host's end of a relay's stream, if the guest's end is not ready or has stale data.
#include "backends/hosted/mux_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "os/file.h"
#include "os/poller.h"
#include "os/socket.h"
#include "testing/matchers.h"
#include "wire/mux.h"

namespace sf::backends {
namespace {

using wire::MuxFrame;

class MuxLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    guest = os::UniqueFd(ends[1]);
    os::UniqueFd out(::dup(ends[0]));
    ASSERT_OK_AND_ASSIGN(link, MuxLink::start(os::UniqueFd(ends[0]), std::move(out)));
  }
  void TearDown() override {
    link.reset();
    if (serving.joinable()) serving.join();
  }
  // From now on acts as a relay that greets every connection.
  void serve() {
    serving = std::thread([this] {
      auto poller = os::Poller::create();
      ASSERT_OK(poller);
      os::UniqueFd out(::dup(guest.get()));
      wire::Mux mux(*poller, std::move(guest), std::move(out), []() -> Result<os::UniqueFd> {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        os::UniqueFd answering(ends[1]);
        EXPECT_OK(os::write_all(answering.get(), "hello"));
        return os::UniqueFd(ends[0]);
      });
      ASSERT_OK(mux.start());
      while (!mux.closed()) ASSERT_OK(poller->run_once(Deadline::after(seconds(1))));
    });
  }
  static std::string read_some(int fd) {
    auto ready = os::wait_readable(fd, Deadline::after(seconds(20)));
    EXPECT_TRUE(ready.ok() && *ready) << "no answer";
    char buffer[64];
    ssize_t n = ready && *ready ? ::read(fd, buffer, sizeof buffer) : 0;
    return std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  }

  std::unique_ptr<MuxLink> link;
  os::UniqueFd guest;
  std::thread serving;
};

// A guest that closes its port and opens it again has lost the data sent in between.
TEST_F(MuxLinkTest, ResetIsRepeatedUntilTheGuestListens) {
  ASSERT_OK_AND_ASSIGN(os::UniqueFd connection, link->connect());
  EXPECT_FALSE(read_some(guest.get()).empty());  // the guest loses this data
  serve();
  EXPECT_EQ(read_some(connection.get()), "hello");
}

// A restored guest first sends the rest of a frame from before its capture.
TEST_F(MuxLinkTest, FramesFromBeforeTheResetAreSkipped) {
  ASSERT_OK(os::write_all(guest.get(), "half a frame"));
  ASSERT_OK(
      os::write_all(guest.get(), wire::encode_mux_frame({MuxFrame::Kind::kData, 1, "stale"})));
  ASSERT_OK(os::write_all(guest.get(), wire::encode_mux_frame({MuxFrame::Kind::kClose, 1, ""})));
  ASSERT_OK(os::write_all(guest.get(), wire::encode_mux_frame({MuxFrame::Kind::kReady, 12, ""})));
  serve();
  ASSERT_OK_AND_ASSIGN(os::UniqueFd connection, link->connect());
  EXPECT_EQ(read_some(connection.get()), "hello");
}

}  // namespace
}  // namespace sf::backends
