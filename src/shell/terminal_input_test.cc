// Tests TerminalInput with a real terminal, since it depends on how the kernel handles typed input.
#include "shell/terminal_input.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/poller.h"
#include "os/socket.h"
#include "os/terminal.h"
#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMegabyte = 1U << 20U;

class TerminalInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int master = -1;
    int slave = -1;
    ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    master_.reset(master);
    slave_.reset(slave);
    ASSERT_OK(os::set_nonblocking(master));
    ASSERT_OK(os::set_nonblocking(slave));
    change([](termios& settings) { settings.c_lflag &= ~static_cast<tcflag_t>(ECHO); });
    input_.emplace(master);
  }
  void change(void (*how)(termios&)) {
    ASSERT_OK_AND_ASSIGN(termios settings, os::terminal_settings(slave_.get()));
    how(settings);
    ASSERT_OK(os::set_terminal_settings(slave_.get(), settings));
  }
  void make_raw() {
    change([](termios& settings) { ::cfmakeraw(&settings); });
  }
  void type(const std::string& keys) {
    ASSERT_OK(input_->type(gate_.open(), keys));
    (void)input_->write_some(gate_.open());
  }
  // Waits for the first byte, then reads at most `most` bytes.
  std::string read(std::size_t most = 65536) {
    pollfd ready{slave_.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ready, 1, 10'000), 1);
    std::string bytes(most, '\0');
    const ssize_t n = ::read(slave_.get(), bytes.data(), bytes.size());
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }
  // Reads all typed bytes in small pieces. The poller callback writes when the terminal reports
  // room, as in the keeper.
  std::string read_all(std::size_t size) {
    auto poller = os::Poller::create();
    EXPECT_OK(poller);
    EXPECT_OK(poller->add(master_.get(), EPOLLIN | EPOLLOUT | EPOLLET,
                          [this](std::uint32_t) { (void)input_->write_some(gate_.open()); }));
    std::string all;
    for (Deadline patience = Deadline::after(seconds(60)); all.size() < size;) {
      if (patience.passed()) break;
      EXPECT_OK(poller->run_once(Deadline::after(milliseconds(0))));
      all += read(1000);
    }
    return all;
  }
  // Number of bytes that a read can return: in canonical mode, those of complete lines.
  std::size_t unread() {
    (void)os::has_typed(master_.get());
    int there = 0;
    EXPECT_EQ(::ioctl(slave_.get(), FIONREAD, &there), 0);
    return static_cast<std::size_t>(there);
  }

  os::UniqueFd master_;
  os::UniqueFd slave_;
  ChangeGate gate_ = ChangeGate::of_agent();
  std::optional<TerminalInput> input_;
};

std::string lines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(TerminalInputTest, SlowReaderGetsAWholeMegabyteOfLines) {
  const std::string text = lines(kMegabyte);
  type(text);
  EXPECT_GT(input_->waiting_bytes(), kMegabyte - 4096);
  EXPECT_TRUE(read_all(text.size()) == text);
  EXPECT_FALSE(input_->waits());
}

TEST_F(TerminalInputTest, RawTerminalDeliversAMegabyteWithoutLineEnds) {
  make_raw();
  std::string text;
  while (text.size() < kMegabyte) text += static_cast<char>('a' + text.size() % 23);
  type(text);
  EXPECT_TRUE(read_all(text.size()) == text);
}

TEST_F(TerminalInputTest, LinesOfTheMaximumLengthArriveWhole) {
  std::string text;
  for (std::size_t size : {4095U, 1U, 3583U, 3584U, 3585U, 4000U, 0U, 4095U})
    text += std::string(size, 'x') + "\n";
  type(text);
  EXPECT_TRUE(read_all(text.size()) == text);
}

TEST_F(TerminalInputTest, TooLongLineIsRefusedAsAWhole) {
  Status refused = input_->type(gate_.open(), "short\n" + std::string(4096, 'x') + "\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(input_->waits());
}

TEST_F(TerminalInputTest, KernelNeverHoldsMoreThanACheckpointCanTakeBack) {
  make_raw();
  for (int i = 0; i < 10; ++i) type(std::string(2000, 'x'));
  // Wait until the kernel has processed all written bytes.
  for (Deadline patience = Deadline::after(seconds(10));
       unread() + input_->waiting_bytes() < 20'000 && !patience.passed();)
    (void)::poll(nullptr, 0, 1);
  EXPECT_EQ(unread() + input_->waiting_bytes(), 20'000U);
  EXPECT_LT(unread(), 4095U);
}

TEST_F(TerminalInputTest, KeysAreEchoedBeforeAProgramReadsThem) {
  change([](termios& settings) { settings.c_lflag |= ECHO; });
  type("one\n");
  type("two\nthr");
  type("ee");
  EXPECT_FALSE(input_->waits());
  std::string echoed;
  for (Deadline patience = Deadline::after(seconds(10));
       echoed != "one\r\ntwo\r\nthree" && !patience.passed();) {
    pollfd ready{master_.get(), POLLIN, 0};
    (void)::poll(&ready, 1, 100);
    (void)os::read_available(master_.get(), echoed, 1000);
  }
  EXPECT_EQ(echoed, "one\r\ntwo\r\nthree");
}

// The signal itself needs a session on the terminal, as in tests/commands. This test checks the
// other effect of the key: the kernel discards the bytes typed before it.
TEST_F(TerminalInputTest, InterruptKeyOvertakesAndDiscardsAWaitingPaste) {
  type(lines(kMegabyte));
  ASSERT_TRUE(input_->waits());
  type(
      "\x03"
      "after\n");
  EXPECT_FALSE(input_->waits());
  std::size_t before = 0;  // the kernel may process the key with a delay
  for (std::string line = read(); line != "after\n" && before <= 4095; line = read())
    before += line.size();
  EXPECT_LT(before, 4095U);
}

TEST_F(TerminalInputTest, InterruptKeyDiscardsNothingWithNoflsh) {
  change([](termios& settings) { settings.c_lflag |= NOFLSH; });
  const std::string text = lines(100'000);
  type(text);
  type(
      "mid\x03"
      "dle\n");
  EXPECT_TRUE(read_all(text.size() + 7) == text + "middle\n");
}

TEST_F(TerminalInputTest, InterruptKeyIsAnOrdinaryKeyInARawTerminal) {
  make_raw();
  const std::string text(20'000, 'x');
  type(text);
  type("\x03");
  EXPECT_TRUE(read_all(text.size() + 1) == text + "\x03");
}

TEST_F(TerminalInputTest, TextBeyondTheQueuesCapacityIsRefusedAsAWhole) {
  make_raw();
  type(std::string(kMaxQueuedInput, 'x'));
  Status refused = input_->type(gate_.open(), std::string(10'000, 'y'));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  const std::size_t room = std::stoul(refused.error().details.at("room_bytes"));
  EXPECT_LT(room, 10'000U);
  EXPECT_OK(input_->type(gate_.open(), std::string(room, 'y')));
}

TEST_F(TerminalInputTest, PartialLineIsTakenBackAndTypedAgainOrDropped) {
  type("whole\npart");
  EXPECT_TRUE(input_->has_part_of_line());
  EXPECT_EQ(read(100), "whole\n");
  input_->take_part_of_line(gate_.open(), TerminalInput::Part::kTypeAgain);
  EXPECT_FALSE(input_->has_part_of_line());
  EXPECT_EQ(input_->waiting(), "part");
  ASSERT_OK_AND_ASSIGN(os::TypedAhead left, os::take_typed(master_.get()));
  EXPECT_TRUE(left.empty());
  type(" end\n");
  EXPECT_EQ(read_all(9), "part end\n");
  type("dropped");
  input_->take_part_of_line(gate_.open(), TerminalInput::Part::kDrop);
  type("kept\n");
  EXPECT_EQ(read_all(5), "kept\n");
  EXPECT_FALSE(input_->has_part_of_line());
}

TEST_F(TerminalInputTest, ReadOrDiscardedBytesAreNoPartialLine) {
  type("until the end\x04");
  EXPECT_FALSE(input_->has_part_of_line());
  EXPECT_EQ(read(), "until the end");
  type("discarded");
  ASSERT_EQ(::tcflush(slave_.get(), TCIFLUSH), 0);
  input_->look_at_part_of_line();
  EXPECT_FALSE(input_->has_part_of_line());
  type("kept");
  input_->look_at_part_of_line();
  EXPECT_TRUE(input_->has_part_of_line());
  type("\n");
  EXPECT_EQ(read(), "kept\n");
}

TEST_F(TerminalInputTest, RawTerminalHasNoPartialLine) {
  make_raw();
  type("keys");
  EXPECT_FALSE(input_->has_part_of_line());
}

TEST_F(TerminalInputTest, LineTypedInPartsIsRefusedWhenItBecomesTooLong) {
  type(std::string(3000, 'x'));
  Status refused = input_->type(gate_.open(), std::string(1500, 'y') + "\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  type("end\n");
  EXPECT_EQ(read_all(3004), std::string(3000, 'x') + "end\n");
}

TEST_F(TerminalInputTest, EndOfFileIsTakenAndPutBack) {
  type("line\npart\x04\x04rest");
  ASSERT_OK_AND_ASSIGN(os::TypedAhead typed, os::take_typed(master_.get()));
  EXPECT_EQ(typed, (os::TypedAhead{"line\npartrest", {9, 9}}));
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(os::put_typed(master_.get(), typed));
    ASSERT_OK_AND_ASSIGN(os::TypedAhead again, os::take_typed(master_.get()));
    EXPECT_EQ(again, typed);
  }
}

TEST_F(TerminalInputTest, WaitingBytesContinueInAnotherTerminalInput) {
  const std::string text = lines(50'000);
  type(text);
  const std::string waiting = input_->waiting();
  ASSERT_OK_AND_ASSIGN(os::TypedAhead typed, os::take_typed(master_.get()));
  EXPECT_EQ(typed.bytes + waiting, text);
  EXPECT_TRUE(typed.ends.empty());
  ASSERT_OK(os::put_typed(master_.get(), typed));
  input_.emplace(master_.get());
  input_->adopt(waiting, typed);
  EXPECT_TRUE(read_all(text.size()) == text);
}

TEST(SignalKeysTest, OnlySignalKeysOfTheTerminalAreFound) {
  termios settings{};
  settings.c_cc[VINTR] = 3;
  settings.c_cc[VQUIT] = 28;
  settings.c_cc[VSUSP] = _POSIX_VDISABLE;
  EXPECT_EQ(signal_keys("a\x03", settings).end, 0U);
  settings.c_lflag = ISIG;
  const std::string typed(
      "a\x03"
      "b\x1c"
      "c\0d\x1a",
      8);
  SignalKeys found = signal_keys(typed, settings);
  EXPECT_EQ(found.end, 4U);
  EXPECT_EQ(found.keys, "\x03\x1c");
}

}  // namespace
}  // namespace sf::waypoint
