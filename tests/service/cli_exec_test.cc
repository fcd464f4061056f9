// `exec` on a terminal, on a pipe and in a script: streamed output, Ctrl-C, attaching later.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "daemon_world.h"
#include "os/process.h"
#include "os/run_program.h"
#include "os/socket.h"
#include "relay.h"

namespace sf::test {
namespace {

const seconds kTimeout{60};
constexpr const char* kAskAndTell = "stty -echo; echo first; read -r x; stty echo; echo got $x";

// `statefork` in the background. Tests can wait for its output.
class Running {
 public:
  Running(const std::string& socket, std::vector<std::string> arguments) {
    std::vector<std::string> argv{SF_PROGRAM, arguments.front(), "--socket", socket};
    argv.insert(argv.end(), arguments.begin() + 1, arguments.end());
    os::UniqueFd out_end = open_pipe(out_);
    os::UniqueFd err_end = open_pipe(err_);
    auto child = os::spawn({.argv = argv,
                            .env = {"PATH=/usr/bin:/bin"},
                            .pass_fds = {{out_end.get(), 1}, {err_end.get(), 2}}});
    EXPECT_OK(child);
    if (child) child_ = std::move(*child);
  }

  void wait_for_output(const std::string& text) { wait_for(out_, text); }
  void wait_for_remark(const std::string& text) { wait_for(err_, text); }
  void interrupt() const { EXPECT_OK(child_.signal(SIGINT)); }
  int end() {
    wait_for(out_, std::nullopt);
    wait_for(err_, std::nullopt);
    auto status = child_.wait(Deadline::after(kTimeout));
    EXPECT_OK(status);
    return status ? status->shell_code() : -1;
  }
  const std::string& output() const { return out_.text; }
  const std::string& remarks() const { return err_.text; }

 private:
  struct Stream {
    os::UniqueFd fd;
    std::string text;
  };

  static os::UniqueFd open_pipe(Stream& stream) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    stream.fd.reset(ends[0]);
    return os::UniqueFd(ends[1]);
  }

  // Waits until the stream has `text`; nullopt waits for its end.
  static void wait_for(Stream& stream, const std::optional<std::string>& text) {
    const Deadline deadline = Deadline::after(kTimeout);
    char buffer[4096];
    while (!text || stream.text.find(*text) == std::string::npos) {
      auto ready = os::wait_readable(stream.fd.get(), deadline);
      ASSERT_TRUE(ready.ok() && *ready) << "no '" << text.value_or("end") << "' in " << stream.text;
      ssize_t n = ::read(stream.fd.get(), buffer, sizeof buffer);
      if (n <= 0) {
        ASSERT_FALSE(text) << "no '" << *text << "' in " << stream.text;
        return;
      }
      stream.text.append(buffer, static_cast<std::size_t>(n));
    }
  }

  Stream out_;
  Stream err_;
  os::Child child_;
};

class CliExecTest : public ::testing::Test {
 protected:
  CliExecTest() { world_.output({"new", "--name", "s"}); }

  Running start(std::vector<std::string> arguments) {
    return {world_.socket(), std::move(arguments)};
  }
  DaemonWorld world_;
};

TEST_F(CliExecTest, OutputAppearsWhileTheCommandRuns) {
  Running running = start({"exec", "s", "--", kAskAndTell});
  running.wait_for_output("first\n");
  world_.output({"keys", "s", "hello", "Enter"});
  EXPECT_EQ(running.end(), 0);
  EXPECT_EQ(running.output(), "first\ngot hello\n");
}

TEST_F(CliExecTest, CtrlCInterruptsTheCommand) {
  Running running = start({"exec", "s", "--", "bash -c 'echo started; exec sleep 1000'"});
  running.wait_for_output("started\n");
  running.interrupt();
  EXPECT_EQ(running.end(), 130);
  EXPECT_EQ(world_.exec_output("s", "echo usable"), "usable");
}

TEST_F(CliExecTest, SecondCtrlCLeavesTheCommandRunningAndShowsHowToAttach) {
  Running first =
      start({"exec", "s", "--", "trap '' INT; stty -echo; echo deaf; read -r x; echo heard $x"});
  first.wait_for_output("deaf\n");
  first.interrupt();
  first.wait_for_remark("Ctrl-C again");
  first.interrupt();
  EXPECT_EQ(first.end(), 130);
  std::smatch found;
  const std::string remarks = first.remarks();
  ASSERT_TRUE(std::regex_search(remarks, found, std::regex("statefork exec s --attach (\\w+)")))
      << remarks;
  Running again = start({"exec", "s", "--attach", found[1]});
  again.wait_for_output("deaf\n");
  world_.output({"keys", "s", "you", "Enter"});
  EXPECT_EQ(again.end(), 0);
  EXPECT_EQ(again.output(), "deaf\nheard you\n");
}

TEST_F(CliExecTest, ADetachedCommandIsWatchedLater) {
  std::string execution = world_.output({"exec", "s", "-d", "--", "echo one; (exit 3)"});
  EXPECT_TRUE(std::regex_match(execution, std::regex("x\\w+"))) << execution;
  CommandRun seen = world_.run({"exec", "s", "--attach", execution});
  EXPECT_EQ(seen.status, 3);
  EXPECT_EQ(seen.out, "one\n");
  CommandRun nobody = world_.run({"exec", "s", "--attach", "x999"});
  EXPECT_EQ(nobody.status, 125);
  EXPECT_EQ(nobody.out, "");
}

TEST_F(CliExecTest, CommandIsInterruptedWhenTheOutputPipeIsClosed) {
  auto ran = os::run_program(
      {"/bin/bash", "-c",
       "\"$0\" exec --socket \"$1\" s -t 0 -- yes | head -n 1; echo ${PIPESTATUS[0]}", SF_PROGRAM,
       world_.socket()},
      Deadline::after(kTimeout));
  ASSERT_OK(ran);
  EXPECT_EQ(ran->text, "y\n141\n");
  EXPECT_EQ(world_.exec_output("s", "echo usable"), "usable");
}

TEST_F(CliExecTest, TerminalGetsRawBytesAndAPipeGetsText) {
  const std::string command = "printf '\\033[31mred\\033[m\\n'";
  EXPECT_EQ(world_.exec("s", command).out, "red\n");
  auto ran = os::run_program(
      {"/usr/bin/script", "-qec",
       std::string(SF_PROGRAM) + " exec --socket " + world_.socket() + " s -- \"" + command + "\"",
       "/dev/null"},
      Deadline::after(kTimeout));
  ASSERT_OK(ran);
  EXPECT_NE(ran->text.find("\x1b[31mred\x1b[m"), std::string::npos) << ran->text;
}

TEST_F(CliExecTest, JsonWaitsAndPrintsOneObject) {
  CommandRun ran = world_.run({"exec", "s", "--json", "--", "echo one; (exit 3)"});
  EXPECT_EQ(ran.status, 3);
  auto json = wire::Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["output"], "one\n");
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_FALSE(json.contains("seq"));
}

TEST_F(CliExecTest, BrokenConnectionIsResumedWhereItBroke) {
  Relay relay(world_.socket());
  relay.cut_after("first");
  Running running(relay.socket(), {"exec", "s", "--", kAskAndTell});
  running.wait_for_output("first\n");
  relay.wait_until_cut();
  world_.output({"keys", "s", "hello", "Enter"});
  EXPECT_EQ(running.end(), 0);
  EXPECT_EQ(running.output(), "first\ngot hello\n");
}

TEST_F(CliExecTest, LargeOutputArrivesWhole) {
  CommandRun ran = world_.exec("s", "seq 200000");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out.size(), 1'288'895U);
  EXPECT_TRUE(ran.out.ends_with("\n199999\n200000\n"));
}

TEST_F(CliExecTest, RunTakesAProgramWithItsArgumentsAfterTheDashes) {
  CommandRun ran = world_.run({"run", "s", "--", "ps", "aux"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("ps aux"), std::string::npos) << ran.out;
  CommandRun apart = world_.run({"run", "s", "--", "sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(apart.status, 3);
  EXPECT_EQ(apart.out, "out\n");
  EXPECT_EQ(apart.err, "err\n");
}

TEST_F(CliExecTest, WordsAfterTheDashesReachTheProgramUnchanged) {
  const std::vector<std::string> words = {"--json", "-t", "5",   "--help",   "--",
                                          "[a,b]",  "",   "a b", "--socket", "x"};
  std::vector<std::string> run{"run", "s", "--", "printf", "<%s>"};
  run.insert(run.end(), words.begin(), words.end());
  EXPECT_EQ(world_.output(run), "<--json><-t><5><--help><--><[a,b]><><a b><--socket><x>");
  EXPECT_EQ(world_.output({"exec", "s", "--", "printf", "'<%s>'", "--json", "-t", "5", "--help"}),
            "<--json><-t><5><--help>");
  CommandRun options = world_.run({"run", "s", "--json", "-t", "60", "--", "echo", "--json"});
  auto json = wire::Json::parse(options.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << options.out << options.err;
  EXPECT_EQ(json["stdout"], "--json\n");
}

TEST_F(CliExecTest, KeysAfterTheDashesAreTyped) {
  Running running = start({"exec", "s", "--", "stty -echo; echo first; read -r x; echo got $x"});
  running.wait_for_output("first\n");
  world_.output({"keys", "s", "--", "--json", "Space", "[a,b]", "Enter"});
  EXPECT_EQ(running.end(), 0);
  EXPECT_EQ(running.output(), "first\ngot --json [a,b]\n");
}

TEST_F(CliExecTest, WordsAfterTheDashesAreRefusedByOtherCommands) {
  for (const char* command : {"ls", "snapshot", "tree", "rm", "shell", "cp"}) {
    CommandRun refused = world_.run({command, "s", "--", "x"});
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_EQ(refused.out, "") << command;
    EXPECT_EQ(refused.err, "statefork: only `exec`, `run` and `keys` accept words after --\n")
        << command;
  }
  EXPECT_EQ(world_.exec_output("s", "echo usable"), "usable");
}

TEST_F(CliExecTest, StartFailureIsNotReportedAsAnExitStatus) {
  CommandRun none = world_.run({"run", "s", "--"});
  EXPECT_EQ(none.status, 125);
  EXPECT_NE(none.err.find("the program must follow --"), std::string::npos) << none.err;
  CommandRun before = world_.run({"run", "s", "ps"});
  EXPECT_EQ(before.status, 125);
  EXPECT_NE(before.err.find("statefork run s -- PROGRAM"), std::string::npos) << before.err;
  EXPECT_EQ(world_.run({"run", "s", "--no-such-option", "--", "true"}).status, 125);
  EXPECT_EQ(world_.run({"run", "s", "--", "/no/such/program"}).status, 125);
}

TEST_F(CliExecTest, ProgramRunningAtASnapshotContinuesInAForkAndAfterARestore) {
  world_.exec_output("s", "mkfifo /step");
  Running running = start({"run", "s", "--", "sh", "-c",
                           "touch /ready; read x </step; head -c 1000000 /dev/zero; echo end; "
                           "echo $x >/result"});
  const auto wait_in = [&](const std::string& branch, const std::string& condition) {
    for (Deadline patience = Deadline::after(kTimeout); world_.exec(branch, condition).status != 0;)
      ASSERT_FALSE(patience.passed()) << condition;
  };
  wait_in("s", "test -e /ready");
  world_.output({"snapshot", "s", "--name", "here"});
  world_.output({"fork", "s", "here", "--name", "copy"});
  world_.exec_output("s/copy", "echo copied >/step");
  wait_in("s/copy", "test -s /result");
  EXPECT_EQ(world_.exec_output("s/copy", "cat /result"), "copied");
  world_.exec_output("s", "echo original >/step");
  EXPECT_EQ(running.end(), 0);
  EXPECT_EQ(running.output().size(), 1'000'004U);
  EXPECT_EQ(world_.exec_output("s", "cat /result"), "original");
  world_.output({"restore", "s", "here"});
  world_.exec_output("s", "echo restored >/step");
  wait_in("s", "test -s /result");
  EXPECT_EQ(world_.exec_output("s", "cat /result"), "restored");
}

}  // namespace
}  // namespace sf::test
