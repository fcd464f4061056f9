// `statefork shell`, on a real terminal.
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "daemon_world.h"
#include "os/fd.h"

namespace sf::test {
namespace {

// A person at a terminal who runs one program.
class Person {
 public:
  explicit Person(const std::vector<std::string>& argv) {
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
  }
  ~Person() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;

  void type(const std::string& keys) {
    ASSERT_EQ(::write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void resize(unsigned short rows, unsigned short cols) {
    winsize size{.ws_row = rows, .ws_col = cols, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }
  // Reads until this was shown; forgets what came before it.
  ::testing::AssertionResult sees(const std::string& text) {
    Deadline patience = Deadline::after(seconds(60));
    while (shown_.find(text) == std::string::npos) {
      pollfd ready{master_.get(), POLLIN, 0};
      char buffer[4096];
      ssize_t n = ::poll(&ready, 1, patience.poll_timeout_ms()) > 0
                      ? ::read(master_.get(), buffer, sizeof buffer)
                      : 0;
      if (n <= 0) return ::testing::AssertionFailure() << "not seen: " << text << "\n" << shown_;
      shown_.append(buffer, static_cast<std::size_t>(n));
    }
    shown_.erase(0, shown_.find(text) + text.size());
    return ::testing::AssertionSuccess();
  }
  int exit_code() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  os::UniqueFd master_;
  std::string shown_;
};

class CliShellTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.output({"new", "--name", "s"}); }
  std::vector<std::string> shell(const std::string& session) const {
    return {SF_PROGRAM, "shell", "--socket", world_.socket(), session};
  }
  DaemonWorld world_;
};

TEST_F(CliShellTest, TypingAttachesTheRealTerminalAndTheDetachKeyLeavesItAlone) {
  world_.exec_output("s", "cd /usr/share; X=kept");
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached to s/main"));
  person.type("echo in $PWD with $X; Y=typed\r");
  ASSERT_TRUE(person.sees("in /usr/share with kept"));
  person.resize(33, 101);
  person.type("sleep 0.01; stty size\r");
  ASSERT_TRUE(person.sees("33 101"));
  person.type("\x1d");
  ASSERT_TRUE(person.sees("detached"));
  EXPECT_EQ(person.exit_code(), 0);
  EXPECT_EQ(world_.exec_output("s", "echo $Y"), "typed");
}

TEST_F(CliShellTest, AFullScreenProgramIsShownToWhoeverComesLater) {
  Person first(shell("s"));
  ASSERT_TRUE(first.sees("attached"));
  first.type("printf '\\033[?1049h\\033[5;5Hfullscreen-%d' 42; read -n1\r");
  ASSERT_TRUE(first.sees("fullscreen-42"));
  Person second(shell("s"));
  ASSERT_TRUE(second.sees("fullscreen-42"));
  second.type("q");
  second.type("printf '\\033[?1049l'; echo back\r");
  ASSERT_TRUE(first.sees("back"));
}

TEST_F(CliShellTest, ARestoreBySomeoneElseShowsAtOnceAndTheLinkStays) {
  world_.exec_output("s", "echo before-marker");
  world_.output({"snapshot", "s", "--name", "here"});
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("before-marker"));
  person.type("clear; X=$((41+1)); echo later-$X\r");
  ASSERT_TRUE(person.sees("later-42"));
  world_.output({"restore", "s", "here"});
  ASSERT_TRUE(person.sees("before-marker"));
  person.type("echo X is [$X]\r");
  ASSERT_TRUE(person.sees("X is []"));
}

TEST_F(CliShellTest, TheEndOfTheSessionEndsIt) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type("echo linked\r");
  ASSERT_TRUE(person.sees("linked"));
  world_.output({"rm", "s"});
  ASSERT_TRUE(person.sees("ended"));
  EXPECT_EQ(person.exit_code(), 0);
}

TEST_F(CliShellTest, WithoutATerminalItSaysWhatToUseInstead) {
  CommandRun ran = world_.run({"shell", "s"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("statefork exec s"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace sf::test
