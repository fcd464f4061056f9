// `statefork shell`, on a real terminal.
#include <csignal>
#include <map>
#include <optional>

#include "daemon_world.h"
#include "os/file.h"
#include "os/process.h"
#include "person.h"

namespace sf::test {
namespace {

class CliShellTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.output({"new", "--name", "s"}); }
  std::vector<std::string> shell(const std::string& session) const {
    return {SF_PROGRAM, "shell", "--socket", world_.socket(), session};
  }
  DaemonWorld world_;
};

TEST_F(CliShellTest, KeysReachTheSessionAndTheDetachKeyEndsTheClient) {
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

TEST_F(CliShellTest, LaterClientSeesAFullScreenProgram) {
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

TEST_F(CliShellTest, RestoreByAnotherClientIsShownAndTheClientStaysAttached) {
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

TEST_F(CliShellTest, EndOfTheSessionEndsTheClient) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type("echo lin''ked\r");
  ASSERT_TRUE(person.sees("linked"));
  world_.output({"rm", "s"});
  ASSERT_TRUE(person.sees("ended"));
  EXPECT_EQ(person.exit_code(), 0) << person.transcript();
}

// Wait until each program prints that it runs before typing the key.
TEST_F(CliShellTest, ControlKeysWorkAsOnATerminal) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type("sh -c 'echo fir''st; exec sleep 1000'; echo status-$?\r");
  ASSERT_TRUE(person.sees("first"));
  person.type("\x03");
  person.type("\recho after-$?\r");
  ASSERT_TRUE(person.sees("after-130"));
  person.type("sh -c 'echo sec''ond; exec sleep 1000'\r");
  ASSERT_TRUE(person.sees("second"));
  person.type("\x1a");
  ASSERT_TRUE(person.sees("Stopped"));
  ASSERT_TRUE(person.sees("sleep 1000"));
  person.type("fg\r");
  ASSERT_TRUE(person.sees("sleep 1000"));
  // The shell prints the job before it gives it the terminal.
  bool quit = false;
  for (Deadline patience = Deadline::after(seconds(60)); !quit && !patience.passed();) {
    person.type("\x1c");
    quit = person.sees_soon("Quit", seconds(1));
  }
  ASSERT_TRUE(quit);
  person.type("sh -c 'echo thi''rd; exec cat'; echo cat-ended-$?\r");
  ASSERT_TRUE(person.sees("third"));
  person.type("some words\r");
  ASSERT_TRUE(person.sees("some words\r\nsome words"));
  person.type("\x04");
  ASSERT_TRUE(person.sees("cat-ended-0"));
}

TEST_F(CliShellTest, ProgramReceivesANewWindowSize) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type(
      "python3 -c 'import os, signal; say = lambda text: os.write(1, text.encode()); "
      "signal.signal(signal.SIGWINCH, lambda *a: say(f\"size {os.get_terminal_size().columns} "
      "\")); "
      "say(\"rea\" + \"dy\")\n"
      "while True: signal.pause()'\r");
  ASSERT_TRUE(person.sees("ready"));
  person.resize(30, 91);
  ASSERT_TRUE(person.sees("size 91"));
  person.resize(40, 132);
  ASSERT_TRUE(person.sees("size 132"));
  person.type("\x03");
  person.type("\rstty size\r");
  ASSERT_TRUE(person.sees("40 132"));
}

TEST_F(CliShellTest, TwoClientsShareATerminalAndOneMayDetach) {
  Person first(shell("s"));
  ASSERT_TRUE(first.sees("attached"));
  Person second(shell("s"));
  ASSERT_TRUE(second.sees("attached"));
  first.type("echo from-the-fir''st\r");
  ASSERT_TRUE(first.sees("from-the-first"));
  ASSERT_TRUE(second.sees("from-the-first"));
  second.type("echo from-the-sec''ond\r");
  ASSERT_TRUE(first.sees("from-the-second"));
  ASSERT_TRUE(second.sees("from-the-second"));
  first.type("\x1d");
  ASSERT_TRUE(first.sees("detached"));
  EXPECT_EQ(first.exit_code(), 0);
  second.type("echo al''one\r");
  ASSERT_TRUE(second.sees("alone"));
  Person again(shell("s"));
  ASSERT_TRUE(again.sees("alone"));
  again.type("echo ba''ck\r");
  ASSERT_TRUE(second.sees("back"));
}

TEST_F(CliShellTest, ArrowsHistoryAndCompletionEditTheLine) {
  world_.exec_output("s", "mkdir -p /tmp/t; touch /tmp/t/a-long-name; cd /tmp/t; PS1='rea''dy> '");
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("ready> "));
  std::string left;
  for (std::size_t i = 0; i < std::string("rst-$((40+2))").size(); ++i) left += "\x1b[D";
  person.type("echo frst-$((40+2))" + left + "i\r");
  ASSERT_TRUE(person.sees("first-42"));
  person.type("echo second-$((41+2))\r");
  ASSERT_TRUE(person.sees("second-43"));
  person.type("\x1b[A\x1b[A\r");
  ASSERT_TRUE(person.sees("first-42"));
  person.type("\x1b[A\x1b[A\x1b[A\x1b[B\r");
  ASSERT_TRUE(person.sees("second-43"));
  person.type(
      "\x12"
      "echo first-$\r");  // a reverse search
  ASSERT_TRUE(person.sees("first-42"));
  person.type("ls a-l\t| tr a-z A-Z\r");
  ASSERT_TRUE(person.sees("A-LONG-NAME"));
  person.type(
      "echo not this\x15"
      "echo th\x1b\x7fthat-$((1+1))\x01: ; \x05\r");
  ASSERT_TRUE(person.sees("that-2"));
}

TEST_F(CliShellTest, PromptReappearsAfterACommandOfAnotherClient) {
  world_.exec_output("s", "PS1='rea''dy> '");
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("ready> "));
  world_.exec_output("s", "echo from-elsewhere");
  ASSERT_TRUE(person.sees("from-elsewhere"));
  ASSERT_TRUE(person.sees("ready> "));
  for (const char* silent : {"true", "sleep 0.5"}) {
    world_.exec_output("s", silent);
    ASSERT_TRUE(person.sees("ready> ")) << silent;
  }
  world_.output({"snapshot", "s", "--name", "here"});
  world_.exec_output("s", "X=later");
  ASSERT_TRUE(person.sees("ready> "));
  world_.output({"restore", "s", "here"});
  ASSERT_TRUE(person.sees("ready> "));
  person.type("echo ty''ped\r");
  ASSERT_TRUE(person.sees("typed"));
}

TEST_F(CliShellTest, NewShellStartsAfterTheShellExits) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type("X=old; exit 3\r");
  // Keys typed for the ending shell are lost with it.
  for (Deadline patience = Deadline::after(seconds(60)); !patience.passed();) {
    person.type("echo new-[$X]-$((40+2))\r");
    if (person.sees_soon("new-[]-42", seconds(1))) return;
  }
  FAIL() << person.transcript();
}

// The last state of each terminal mode that was set; "=" and ">" are the keypad's.
std::map<std::string, char> last_modes(const std::string& shown) {
  std::map<std::string, char> modes;
  for (std::size_t at = shown.find('\x1b'); at != std::string::npos;
       at = shown.find('\x1b', at + 1)) {
    const std::size_t next = at + 1;
    if (next >= shown.size()) break;
    if (shown[next] == '=' || shown[next] == '>') modes["keypad"] = shown[next];
    if (shown.compare(next, 2, "[?") != 0) continue;
    const std::size_t end = shown.find_first_not_of("0123456789;", next + 2);
    if (end == std::string::npos || (shown[end] != 'h' && shown[end] != 'l')) continue;
    std::string numbers = shown.substr(next + 2, end - next - 2) + ";";
    for (std::size_t cut = numbers.find(';'); cut != std::string::npos; cut = numbers.find(';')) {
      modes[numbers.substr(0, cut)] = shown[end];
      numbers.erase(0, cut + 1);
    }
  }
  return modes;
}

TEST_F(CliShellTest, DetachResetsTerminalModesSetByAProgram) {
  const TempDir dir;
  Person host({"/bin/bash", "--norc", "--noprofile", "-i"});
  host.type("bind 'set enable-bracketed-paste off'; PS1='ho''st> '\r");
  ASSERT_TRUE(host.sees("host> "));
  host.type("stty -g >" + dir / "before" + "; echo no''ted\r");
  ASSERT_TRUE(host.sees("noted"));
  host.type(std::string(SF_PROGRAM) + " shell --socket " + world_.socket() + " s\r");
  ASSERT_TRUE(host.sees("attached"));
  host.type(
      "printf "
      "'\\033[?1004h\\033[?1000;1002;1003;1006;1015h\\033[?9h\\033[?2004h\\033[?1h\\033=\\033[?"
      "5h\\033[?6h\\033[?7l\\033[?1049h\\033[?25l'; echo switch''ed\r");
  ASSERT_TRUE(host.sees("switched"));
  host.type("\x1d");
  ASSERT_TRUE(host.sees("detached"));
  host.type("stty -g >" + dir / "after" + "; echo no''ted again\r");
  ASSERT_TRUE(host.sees("noted again"));
  EXPECT_EQ(os::read_file(dir / "after").value(), os::read_file(dir / "before").value());
  std::map<std::string, char> modes = last_modes(host.transcript());
  for (const char* mode :
       {"1004", "1000", "1002", "1003", "1006", "1015", "9", "2004", "1", "5", "6", "1049"})
    EXPECT_EQ(modes[mode], 'l') << mode;
  EXPECT_EQ(modes["7"], 'h');
  EXPECT_EQ(modes["25"], 'h');
  EXPECT_EQ(modes["keypad"], '>');
}

// `statefork shell` as a job of the host's shell, which stops and continues it.
class StoppedClientTest : public CliShellTest {
 protected:
  void SetUp() override {
    CliShellTest::SetUp();
    host_.type("bind 'set enable-bracketed-paste off'; PS1='ho''st> '; stty -g >" + dir_ / "tty" +
               "\r");
    ASSERT_TRUE(host_.sees("host> "));
    world_.exec_output("s", "where=inside; PS1='rea''dy> '");
    host_.type(std::string(SF_PROGRAM) + " shell --socket " + world_.socket() + " s\r");
    ASSERT_TRUE(host_.sees("ready> "));
  }
  void signal_client(int number) {
    const std::vector<pid_t> children = os::children_of(host_.program());
    ASSERT_EQ(children.size(), 1U);
    ASSERT_EQ(::kill(children[0], number), 0);
  }
  // The host's shell has the terminal with the original settings and receives the keys.
  void expect_host_has_terminal() {
    ASSERT_TRUE(host_.sees("Stopped"));
    ASSERT_TRUE(host_.sees("host> "));
    host_.type("where=host; echo typed-$where; stty -g | cmp - " + dir_ / "tty" +
               " && echo sa''me\r");
    ASSERT_TRUE(host_.sees("typed-host"));
    ASSERT_TRUE(host_.sees("same"));
    ASSERT_TRUE(host_.sees("host> "));
  }
  void expect_back(const std::string& shown) {
    host_.type("fg\r");
    ASSERT_TRUE(host_.sees(shown));
    host_.type("echo typed-$where\r");
    ASSERT_TRUE(host_.sees("typed-inside"));
  }
  const TempDir dir_;
  Person host_{{"/bin/bash", "--norc", "--noprofile", "-i"}};
};

TEST_F(StoppedClientTest, StopReturnsTheTerminalAndContinuationRepaintsIt) {
  host_.type("printf '\\033[?1049h\\033[?1000h\\033[?25lfull%s' screen; read -n1\r");
  ASSERT_TRUE(host_.sees("fullscreen"));
  signal_client(SIGTSTP);
  expect_host_has_terminal();
  std::map<std::string, char> modes = last_modes(host_.transcript());
  EXPECT_EQ(modes["1049"], 'l');
  EXPECT_EQ(modes["1000"], 'l');
  EXPECT_EQ(modes["25"], 'h');
  host_.type("fg\r");
  ASSERT_TRUE(host_.sees("fullscreen"));
  modes = last_modes(host_.transcript());
  EXPECT_EQ(modes["1000"], 'h');
  EXPECT_EQ(modes["25"], 'l');
  host_.type("q");
  host_.type("printf '\\033[?1049l'; echo typed-$where\r");
  ASSERT_TRUE(host_.sees("typed-inside"));
  host_.type("\x1d");
  ASSERT_TRUE(host_.sees("detached"));
  host_.type("echo typed-$where; stty -g | cmp - " + dir_ / "tty" + " && echo sa''me\r");
  ASSERT_TRUE(host_.sees("typed-host"));
  ASSERT_TRUE(host_.sees("same"));
}

TEST_F(StoppedClientTest, OutputWhileStoppedIsShownAfterContinuation) {
  signal_client(SIGTSTP);
  expect_host_has_terminal();
  world_.exec_output("s", "echo mean''while");
  host_.type("echo still-$where\r");
  ASSERT_TRUE(host_.sees("still-host"));
  EXPECT_EQ(host_.transcript().find("meanwhile"), std::string::npos);
  expect_back("meanwhile");
}

// SIGSTOP cannot be caught: the modes stay set, and the host's shell sets the terminal as it needs
// it.
TEST_F(StoppedClientTest, ClientTakesTheTerminalBackAfterSigstop) {
  world_.exec_output("s", "echo mark''er");
  ASSERT_TRUE(host_.sees("marker"));
  signal_client(SIGSTOP);
  ASSERT_TRUE(host_.sees("Stopped"));
  expect_back("marker");
}

TEST_F(StoppedClientTest, BackgroundClientStopsUntilItHasTheTerminal) {
  signal_client(SIGTSTP);
  expect_host_has_terminal();
  host_.type("bg\r");
  bool stopped = false;
  for (Deadline patience = Deadline::after(seconds(60)); !stopped && !patience.passed();) {
    host_.type("jobs | grep -c Stopped | sed s/^/count-/\r");
    stopped = host_.sees_soon("count-1", seconds(1));
  }
  ASSERT_TRUE(stopped);
  host_.type("echo typed-$where\r");
  ASSERT_TRUE(host_.sees("typed-host"));
  expect_back("ready> ");
}

TEST_F(CliShellTest, DetachResetsColoursSetByAProgram) {
  Person person(shell("s"));
  ASSERT_TRUE(person.sees("attached"));
  person.type("printf '\\033]11;#102030\\007'; echo co''loured\r");
  ASSERT_TRUE(person.sees("coloured"));
  EXPECT_EQ(person.transcript().find("\x1b]111"), std::string::npos);
  person.type("\x1d");
  ASSERT_TRUE(person.sees("\x1b]111"));
  ASSERT_TRUE(person.sees("detached"));
}

TEST_F(CliShellTest, WithoutATerminalTheErrorSuggestsExec) {
  CommandRun ran = world_.run({"shell", "s"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("statefork exec s"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace sf::test
