#include "os/poller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <vector>

#include "os/file.h"
#include "os/pipe.h"
#include "os/socket.h"
#include "testing/matchers.h"

namespace sf::os {
namespace {

Pipe nonblocking_pipe() {
  Pipe pipe = make_pipe().value();
  EXPECT_OK(set_nonblocking(pipe.read_end.get()));
  EXPECT_OK(set_nonblocking(pipe.write_end.get()));
  return pipe;
}

class PollerTest : public ::testing::Test {
 protected:
  Status look() { return poller.run_once(Deadline::after(milliseconds(0))); }
  Result<Poller> created = Poller::create();
  Poller& poller = created.value();
};

TEST_F(PollerTest, ACallbackRunsAsLongAsDataIsReadable) {
  Pipe pipe = nonblocking_pipe();
  int calls = 0;
  ASSERT_OK(poller.add(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t events) {
    EXPECT_NE(events & EPOLLIN, 0U);
    ++calls;
  }));
  ASSERT_OK(look());
  EXPECT_EQ(calls, 0);
  ASSERT_OK(write_all(pipe.write_end.get(), "x"));
  ASSERT_OK(look());
  ASSERT_OK(look());
  EXPECT_EQ(calls, 2);
  std::string text;
  ASSERT_OK(read_available(pipe.read_end.get(), text, 100));
  ASSERT_OK(look());
  EXPECT_EQ(calls, 2);
}

TEST_F(PollerTest, AHangUpIsReportedEvenIfNoEventIsRequested) {
  Pipe pipe = nonblocking_pipe();
  std::uint32_t seen = 0;
  ASSERT_OK(poller.add(pipe.read_end.get(), 0, [&](std::uint32_t events) { seen = events; }));
  pipe.write_end.reset();
  ASSERT_OK(look());
  EXPECT_NE(seen & EPOLLHUP, 0U);
}

TEST_F(PollerTest, ChangedEventsTakeEffect) {
  Pipe pipe = nonblocking_pipe();
  int calls = 0;
  ASSERT_OK(poller.add(pipe.write_end.get(), 0, [&](std::uint32_t) { ++calls; }));
  ASSERT_OK(look());
  EXPECT_EQ(calls, 0);
  ASSERT_OK(poller.change(pipe.write_end.get(), EPOLLOUT));
  ASSERT_OK(look());
  EXPECT_EQ(calls, 1);
}

TEST_F(PollerTest, ACallbackMayRemoveItselfAndKeepsItsCaptures) {
  Pipe pipe = nonblocking_pipe();
  ASSERT_OK(write_all(pipe.write_end.get(), "x"));
  auto owned = std::make_shared<std::string>("still here");
  std::string seen;
  int fd = pipe.read_end.get();
  ASSERT_OK(poller.add(fd, EPOLLIN, [this, fd, owned, &seen](std::uint32_t) {
    poller.remove(fd);
    seen = *owned;
  }));
  owned.reset();
  ASSERT_OK(look());
  EXPECT_EQ(seen, "still here");
  EXPECT_FALSE(poller.contains(fd));
  ASSERT_OK(look());
}

TEST_F(PollerTest, ADescriptorRemovedByAnEarlierCallbackGetsNoEventInTheSameRound) {
  Pipe first = nonblocking_pipe();
  Pipe second = nonblocking_pipe();
  int calls = 0;
  auto remove_both = [&](std::uint32_t) {
    ++calls;
    poller.remove(first.read_end.get());
    poller.remove(second.read_end.get());
  };
  for (Pipe* pipe : {&first, &second}) {
    ASSERT_OK(write_all(pipe->write_end.get(), "x"));
    ASSERT_OK(poller.add(pipe->read_end.get(), EPOLLIN, remove_both));
  }
  ASSERT_OK(look());
  EXPECT_EQ(calls, 1);
}

// The kernel reuses a number immediately: a callback that closes one connection and accepts the
// next gets the same number.
TEST_F(PollerTest, ANewDescriptorDoesNotGetTheEventsOfItsPredecessor) {
  Pipe pipes[2] = {nonblocking_pipe(), nonblocking_pipe()};
  Pipe silent = nonblocking_pipe();
  bool replaced = false;
  bool false_alarm = false;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(write_all(pipes[i].write_end.get(), "x"));
    ASSERT_OK(poller.add(pipes[i].read_end.get(), EPOLLIN, [&, i](std::uint32_t) {
      if (replaced) return;
      replaced = true;
      int other = pipes[1 - i].read_end.get();
      poller.remove(other);
      ASSERT_EQ(::dup3(silent.read_end.get(), other, O_CLOEXEC), other);
      ASSERT_OK(poller.add(other, EPOLLIN, [&](std::uint32_t) { false_alarm = true; }));
    }));
  }
  ASSERT_OK(look());
  EXPECT_TRUE(replaced);
  EXPECT_FALSE(false_alarm);
}

TEST_F(PollerTest, ACallbackMayAddAnother) {
  Pipe first = nonblocking_pipe();
  Pipe second = nonblocking_pipe();
  ASSERT_OK(write_all(first.write_end.get(), "x"));
  ASSERT_OK(write_all(second.write_end.get(), "x"));
  int calls = 0;
  ASSERT_OK(poller.add(first.read_end.get(), EPOLLIN, [&](std::uint32_t) {
    if (poller.contains(second.read_end.get())) return;
    ASSERT_OK(poller.add(second.read_end.get(), EPOLLIN, [&](std::uint32_t) { ++calls; }));
  }));
  ASSERT_OK(look());
  ASSERT_OK(look());
  EXPECT_EQ(calls, 1);
}

TEST_F(PollerTest, MoreDescriptorsThanFitIntoOneRoundAreAllServed) {
  std::vector<Pipe> pipes;
  std::size_t served = 0;
  for (int i = 0; i < 100; ++i) pipes.push_back(nonblocking_pipe());
  for (Pipe& pipe : pipes) {
    ASSERT_OK(write_all(pipe.write_end.get(), "x"));
    int fd = pipe.read_end.get();
    ASSERT_OK(poller.add(fd, EPOLLIN, [&, fd](std::uint32_t) {
      ++served;
      poller.remove(fd);
    }));
  }
  for (int round = 0; round < 100 && served < pipes.size(); ++round) ASSERT_OK(look());
  EXPECT_EQ(served, pipes.size());
}

TEST_F(PollerTest, ADescriptorThatCannotBeWatchedIsAnErrorAndIsNotKept) {
  ASSERT_OK_AND_ASSIGN(UniqueFd file, open_file("/proc/self/exe", O_RDONLY));
  EXPECT_FALSE(poller.add(file.get(), EPOLLIN, [](std::uint32_t) {}).ok());
  EXPECT_FALSE(poller.contains(file.get()));
  EXPECT_FALSE(poller.change(file.get(), EPOLLIN).ok());
  poller.remove(file.get());
}

TEST_F(PollerTest, AMovedPollerStillWatches) {
  Pipe pipe = nonblocking_pipe();
  int calls = 0;
  ASSERT_OK(poller.add(pipe.read_end.get(), EPOLLIN, [&](std::uint32_t) { ++calls; }));
  Poller moved = std::move(poller);
  ASSERT_OK(write_all(pipe.write_end.get(), "x"));
  ASSERT_OK(moved.run_once(Deadline::never()));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace sf::os
