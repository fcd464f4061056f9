// Keys and pastes into `statefork shell` must never reach the host, no matter how the connection
// ends. A real shell of the host runs it on a real terminal; a leaked paste would create a file on
// the host.
#include <csignal>
#include <thread>

#include "daemon_world.h"
#include "os/file.h"
#include "os/process.h"
#include "person.h"

namespace sf::test {
namespace {

constexpr std::size_t kMebibyte = 1U << 20U;
constexpr std::size_t kQueue = 4 * kMebibyte;  // size of the keeper's queue
constexpr std::size_t kPastedLines = 130'000;

class CliPasteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.output({"new", "--name", "s"});
    world_.exec_output("s", "mkdir -p " + host_.path());
    host_shell_.emplace(std::vector<std::string>{"/bin/bash", "--norc", "--noprofile", "-i"});
    // Bracketed pastes would protect the host's shell.
    host_shell_->type("bind 'set enable-bracketed-paste off'; PS1='ho''st> '; stty -g >" +
                      host_ / "tty" + "\r");
    ASSERT_TRUE(host_shell_->sees("host> "));
    host_shell_->type(std::string(SF_PROGRAM) + " shell --socket " + world_.socket() + " s\r");
    ASSERT_TRUE(host_shell_->sees("attached to s/main"));
    host_shell_->type("echo in''side\r");
    ASSERT_TRUE(host_shell_->sees("inside"));
  }
  std::string file(const std::string& name) const { return host_ / name; }
  // No process in the session reads the terminal until open_gate().
  void close_gate() {
    host_shell_->type("sh -c 'echo wait\"\"ing; until test -e " + file("go") +
                      "; do sleep 0.02; done'\r");
    ASSERT_TRUE(host_shell_->sees("waiting"));
  }
  void open_gate() { world_.output({"run", "s", "--", "touch", file("go")}); }
  std::string lines(std::size_t count) const {
    std::string text;
    for (std::size_t i = 1; i <= count; ++i)
      text += "echo " + std::to_string(i) + " >>" + file("lines") + "\r";
    return text;
  }
  std::string inside(const std::string& script) {
    return world_.output({"run", "s", "--", "sh", "-c", script});
  }
  // The host's shell works, its terminal settings are unchanged, and it ran no line of a paste.
  // `detached_at`: where the transcript of the host's shell goes on.
  void expect_host_untouched(std::size_t detached_at = 0) {
    host_shell_->type("echo host-$((1+1)); stty -g | cmp - " + file("tty") + " && echo sa''me\r");
    ASSERT_TRUE(host_shell_->sees("host-2"));
    EXPECT_TRUE(host_shell_->sees("same"));
    EXPECT_FALSE(os::exists(file("lines"))) << os::read_file(file("lines")).value().substr(0, 200);
    EXPECT_EQ(host_shell_->transcript().find("command not found", detached_at), std::string::npos)
        << host_shell_->transcript();
  }
  void detach() {
    host_shell_->type("\x1d");
    ASSERT_TRUE(host_shell_->sees("detached"));
    ASSERT_TRUE(host_shell_->sees("host> "));
  }
  // Kills all keepers of this world except spares.
  void kill_keepers() {
    int killed = 0;
    for (const std::string& process : read_host_state().processes) {
      if (process.find("waypoint-keeper") == std::string::npos ||
          process.find(world_.state_dir()) == std::string::npos)
        continue;
      const auto pid = static_cast<pid_t>(std::stol(process));
      if (os::children_of(pid).empty()) continue;
      ::kill(pid, SIGKILL);
      ++killed;
    }
    EXPECT_GT(killed, 0);
  }
  // Returns when the queue is full and the rest of the paste has to wait.
  void wait_for_full_queue() {
    for (Deadline patience = Deadline::after(seconds(120));
         host_shell_->pasted() < kQueue && !patience.passed();)
      std::this_thread::sleep_for(milliseconds(5));
    EXPECT_GE(host_shell_->pasted(), kQueue);
  }
  // Pastes into `cat`. One line of the paste is longer than the terminal keeps.
  void paste_with_a_long_line(const std::string& begin, const std::string& end) {
    host_shell_->type("sh -c 'echo read\"\"ing; exec cat >" + file("text") + "'\r");
    ASSERT_TRUE(host_shell_->sees("reading"));
    std::string text = begin + "one-before\r" + std::string(5000, 'x') + "\r";
    for (int i = 0; i < 20'000; ++i) text += "one-behind\r";
    ASSERT_TRUE(host_shell_->paste(text + end));
    ASSERT_TRUE(host_shell_->sees("all that follows are discarded"));
  }
  // Pastes more than fits into the queue; while the rest waits, `end` ends the connection.
  void end_within_a_paste(const std::function<void()>& end, const std::string& message) {
    close_gate();
    const std::string text = lines(kPastedLines);
    ASSERT_GT(text.size(), kQueue + kMebibyte);
    bool pasted = false;
    std::thread hands([&] { pasted = host_shell_->paste(text); });
    wait_for_full_queue();
    EXPECT_LT(host_shell_->pasted(), text.size());
    end();
    hands.join();
    EXPECT_TRUE(pasted);
    ASSERT_TRUE(host_shell_->sees(message));
    ASSERT_TRUE(host_shell_->sees("discarded"));
    ASSERT_TRUE(host_shell_->sees("host> "));
    expect_host_untouched();
  }

  DaemonWorld world_;
  TempDir host_;  // exists in the session as well, but is empty there
  std::optional<Person> host_shell_;
};

TEST_F(CliPasteTest, LinesPastedWhileAProgramRunsArriveInTheSessionOnly) {
  constexpr std::size_t kLines = 600;
  close_gate();
  ASSERT_TRUE(host_shell_->paste(lines(kLines) + "echo all''read\r"));
  open_gate();
  ASSERT_TRUE(host_shell_->sees("allread"));
  detach();
  expect_host_untouched();
  EXPECT_EQ(inside("seq 600 | cmp - " + file("lines") + " && echo same"), "same");
}

TEST_F(CliPasteTest, AMegabytePastedIntoASlowReaderArrivesWhole) {
  std::string text;
  std::size_t sum = 0;
  for (std::size_t i = 0; text.size() < kMebibyte; ++i) {
    text += std::to_string(i) + " some text for the reader\r";
    sum = i + 1;
  }
  // The `read` builtin reads byte by byte.
  host_shell_->type(
      "stty -echo; echo rea''dy; while read -r l && [ \"$l\" != end ]; do echo \"$l\"; done >" +
      file("text") + "; stty echo; echo fin''ished\r");
  ASSERT_TRUE(host_shell_->sees("ready"));
  ASSERT_TRUE(host_shell_->paste(text + "end\r"));
  ASSERT_TRUE(host_shell_->sees("finished"));
  detach();
  expect_host_untouched();
  EXPECT_EQ(inside("awk '$1 != NR - 1 {print \"wrong \" NR; exit} END {print NR}' " + file("text")),
            std::to_string(sum));
}

TEST_F(CliPasteTest, TheRestOfAPasteIsDiscardedIfTheDaemonIsKilled) {
  end_within_a_paste([&] { world_.end_daemon(SIGKILL); }, "");
}

TEST_F(CliPasteTest, TheRestOfAPasteIsDiscardedIfTheSessionIsRemoved) {
  end_within_a_paste([&] { world_.output({"rm", "s"}); }, "");
}

TEST_F(CliPasteTest, TheRestOfAPasteIsDiscardedIfTheClientIsTerminated) {
  end_within_a_paste(
      [&] {
        for (pid_t child : os::children_of(host_shell_->program())) ::kill(child, SIGTERM);
      },
      "detached");
}

TEST_F(CliPasteTest, NothingOfAPasteReachesTheHostIfTheKeeperIsKilled) {
  close_gate();
  const std::string text = lines(kPastedLines);
  bool pasted = false;
  std::thread hands([&] { pasted = host_shell_->paste(text); });
  wait_for_full_queue();
  kill_keepers();
  hands.join();
  EXPECT_TRUE(pasted);
  // If the branch was restored, the rest of the paste went there.
  host_shell_->type("\x1d");
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched();
}

TEST_F(CliPasteTest, NothingOfAPasteReachesTheHostIfTheClientIsStopped) {
  close_gate();
  const std::string text = lines(kPastedLines);
  bool pasted = false;
  std::thread hands([&] { pasted = host_shell_->paste(text); });
  wait_for_full_queue();
  for (pid_t child : os::children_of(host_shell_->program())) ::kill(child, SIGTSTP);
  hands.join();
  EXPECT_TRUE(pasted);
  ASSERT_TRUE(host_shell_->sees("Stopped"));
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched();
  host_shell_->type("fg\r");
  ASSERT_TRUE(host_shell_->sees("\x1b[2J"));  // repainted
  detach();
  expect_host_untouched();
}

// The shell's line editor shows a paste only at its end; `cat` shows it immediately.
TEST_F(CliPasteTest, ARestoreBetweenTwoPiecesOfAPasteDiscardsTheSecond) {
  world_.exec_output("s", "PS1='rea''dy> '");
  ASSERT_TRUE(host_shell_->sees("ready> "));
  world_.output({"snapshot", "s", "--name", "here"});
  host_shell_->type("sh -c 'echo read\"\"ing; exec cat >/dev/null'\r");
  ASSERT_TRUE(host_shell_->sees("reading"));
  ASSERT_TRUE(host_shell_->paste("\x1b[200~" + lines(2) + "echo one-piece"));
  ASSERT_TRUE(host_shell_->sees("one-piece"));
  world_.output({"restore", "s", "here"});
  // The client learns of the restore when the screen is repainted.
  ASSERT_TRUE(host_shell_->sees("\x1b[2J"));
  ASSERT_TRUE(host_shell_->sees("ready> "));
  ASSERT_TRUE(host_shell_->paste(" and-another\r" + lines(2) + "\x1b[201~"));
  host_shell_->type("echo af''ter\r");
  ASSERT_TRUE(host_shell_->sees("after"));
  EXPECT_EQ(host_shell_->transcript().find("and-another"), std::string::npos);
  EXPECT_EQ(inside("test -e " + file("lines") + " || echo none"), "none");
  host_shell_->type("\x1d");
  ASSERT_TRUE(host_shell_->sees("discarded"));
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched();
}

TEST_F(CliPasteTest, RestoreDuringAnUnmarkedPasteDiscardsItsRest) {
  constexpr std::size_t kLines = 100'000;
  world_.output({"snapshot", "s", "--name", "here"});
  host_shell_->type("sh -c 'echo read\"\"ing; exec cat >/dev/null'\r");
  ASSERT_TRUE(host_shell_->sees("reading"));
  const std::string text = lines(kLines);
  bool pasted = false;
  std::thread hands([&] { pasted = host_shell_->paste(text); });
  for (Deadline patience = Deadline::after(seconds(60));
       host_shell_->pasted() < 16 * 4096 && !patience.passed();)
    std::this_thread::sleep_for(milliseconds(1));
  world_.output({"restore", "s", "here"});
  hands.join();
  EXPECT_TRUE(pasted);
  for (Deadline patience = Deadline::after(seconds(60)); !patience.passed();) {
    host_shell_->type("echo af''ter\r");
    if (host_shell_->sees_soon("after", seconds(1))) break;  // the paste has ended
  }
  // The restored shell may run what the client sent before it knew of the restore. That may begin
  // within a line.
  EXPECT_LT(std::stoul(inside("cat " + file("lines") + " 2>/dev/null | wc -l")), kLines / 10);
  host_shell_->type("\x1d");
  ASSERT_TRUE(host_shell_->sees("discarded"));
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched(host_shell_->transcript().rfind("discarded"));
}

TEST_F(CliPasteTest, TooLongLineDiscardsTheRestOfAnUnmarkedPaste) {
  paste_with_a_long_line("", "");
  // `cat` may have received the beginning of the line. Ctrl-U erases it.
  bool is_heard = false;
  for (Deadline patience = Deadline::after(seconds(60)); !is_heard && !patience.passed();) {
    host_shell_->type("\x15heard\r");
    is_heard = host_shell_->sees_soon("heard", seconds(1));
  }
  EXPECT_TRUE(is_heard);
  host_shell_->type("\x04");
  EXPECT_EQ(inside("uniq " + file("text")), "one-before\nheard");
  detach();
  expect_host_untouched();
}

TEST_F(CliPasteTest, TooLongLineDiscardsTheRestOfAMarkedPaste) {
  paste_with_a_long_line("\x1b[200~", "\x1b[201~\x15heard\r");
  ASSERT_TRUE(host_shell_->sees("heard"));
  host_shell_->type("\x04");
  EXPECT_EQ(inside("tail -n +2 " + file("text")), "heard");
  detach();
  expect_host_untouched();
}

TEST_F(CliPasteTest, DetachKeyInsideAPasteDiscardsItsRest) {
  ASSERT_TRUE(host_shell_->paste("echo fir''st\r\x1d" + lines(2000)));
  ASSERT_TRUE(host_shell_->sees("detached"));
  ASSERT_TRUE(host_shell_->sees("discarded"));
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched();
}

TEST_F(CliPasteTest, AnInterruptOvertakesAPaste) {
  close_gate();
  ASSERT_TRUE(host_shell_->paste(lines(20'000)));
  host_shell_->type("\x03");
  host_shell_->type("\recho inter''rupted\r");
  ASSERT_TRUE(host_shell_->sees("interrupted"));
  detach();
  expect_host_untouched();
  EXPECT_EQ(inside("test -e " + file("lines") + " || echo none"), "none");
}

TEST_F(CliPasteTest, KeysTypedAheadOfAFailedAttachDoNotReachTheHost) {
  detach();
  host_shell_->type(std::string(SF_PROGRAM) + " shell --socket " + world_.socket() + " nosuch\r" +
                    lines(20));
  ASSERT_TRUE(host_shell_->sees("discarded"));
  ASSERT_TRUE(host_shell_->sees("host> "));
  expect_host_untouched();
}

}  // namespace
}  // namespace sf::test
