#include "os/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "os/file.h"
#include "os/pipe.h"
#include "os/socket.h"
#include "testing/matchers.h"

namespace sf::os {
namespace {

Deadline soon() { return Deadline::after(seconds(30)); }

std::string read_to_end(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// Runs a shell script and returns its standard output.
std::string output_of(const std::string& script, SpawnOptions options = {}) {
  Pipe pipe = make_pipe().value();
  options.argv = {"/bin/sh", "-c", script};
  options.pass_fds.emplace_back(pipe.write_end.get(), 1);
  Result<Child> child = spawn(options);
  EXPECT_OK(child);
  pipe.write_end.reset();
  return read_to_end(pipe.read_end.get());
}

TEST(ExitStatusTest, AnExitCodeAndASignalAreDistinguished) {
  ExitStatus two = ExitStatus::from_wait(W_EXITCODE(2, 0));
  EXPECT_EQ(two.text(), "exited 2");
  EXPECT_EQ(two.shell_code(), 2);
  ExitStatus killed = ExitStatus::from_wait(W_EXITCODE(0, SIGKILL));
  EXPECT_EQ(killed.text(), "killed by SIGKILL");
  EXPECT_EQ(killed.shell_code(), 137);
}

TEST(ExitStatusTest, ACoreDumpIsADeathBySignalToo) {
  ExitStatus dumped = ExitStatus::from_wait(W_EXITCODE(0, SIGSEGV) | WCOREFLAG);
  EXPECT_EQ(dumped.text(), "killed by SIGSEGV");
  EXPECT_EQ(dumped.shell_code(), 139);
}

TEST(ExitStatusTest, ASignalWithoutANameShowsItsNumber) {
  EXPECT_EQ((ExitStatus{true, 40}).text(), "killed by SIG40");
}

TEST(SpawnTest, TheExitCodeIsReturned) {
  ASSERT_OK_AND_ASSIGN(Child child, spawn({.argv = {"/bin/sh", "-c", "exit 7"}}));
  ASSERT_OK_AND_ASSIGN(ExitStatus status, child.wait(soon()));
  EXPECT_EQ(status.text(), "exited 7");
  EXPECT_FALSE(child.running());
}

TEST(SpawnTest, AMissingProgramIsAnErrorThatNamesIt) {
  auto child = spawn({.argv = {"/nowhere/program"}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, ErrorCode::kNotFound);
  EXPECT_NE(child.error().message.find("/nowhere/program (exec)"), std::string::npos);
}

TEST(SpawnTest, AMissingDirectoryIsAnErrorThatNamesTheStep) {
  auto child = spawn({.argv = {"/bin/sh", "-c", ":"}, .cwd = "/nowhere"});
  ASSERT_FALSE(child.ok());
  EXPECT_NE(child.error().message.find("(chdir)"), std::string::npos);
}

TEST(SpawnTest, TheChildGetsOnlyTheGivenEnvironment) {
  EXPECT_EQ(output_of("/usr/bin/env | /bin/grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=",
                      {.env = {"ONLY=this one"}}),
            "ONLY=this one\n");
}

TEST(SpawnTest, StandardDescriptorsDefaultToNull) {
  EXPECT_EQ(output_of("readlink /proc/$$/fd/0; readlink /proc/$$/fd/2"), "/dev/null\n/dev/null\n");
}

TEST(SpawnTest, NothingButThePassedDescriptorsIsInherited) {
  Pipe stray = make_pipe().value();
  ASSERT_EQ(::fcntl(stray.read_end.get(), F_SETFD, 0), 0);  // open across exec by mistake
  EXPECT_EQ(
      output_of("n=0; while [ $n -lt 99 ]; do [ -e /proc/$$/fd/$n ] && echo $n; n=$((n+1)); done"),
      "0\n1\n2\n");
}

TEST(SpawnTest, PassedDescriptorsMayBeSwapped) {
  Pipe first = make_pipe().value();
  Pipe second = make_pipe().value();
  int a = first.write_end.get();
  int b = second.write_end.get();
  ASSERT_OK_AND_ASSIGN(
      Child child,
      spawn({.argv = {"/bin/bash", "-c",
                      "echo to-a >&" + std::to_string(a) + "; echo to-b >&" + std::to_string(b)},
             .pass_fds = {{a, b}, {b, a}}}));
  first.write_end.reset();
  second.write_end.reset();
  EXPECT_EQ(read_to_end(first.read_end.get()), "to-b\n");
  EXPECT_EQ(read_to_end(second.read_end.get()), "to-a\n");
}

// A daemon may use any descriptor numbers, including those right above the passed ones.
TEST(SpawnTest, PassedDescriptorsArriveIfManyOthersAreOpen) {
  Pipe pipe = make_pipe().value();
  std::vector<UniqueFd> others;
  for (int i = 0; i < 64; ++i)
    others.emplace_back(::fcntl(pipe.read_end.get(), F_DUPFD_CLOEXEC, 0));
  ASSERT_OK_AND_ASSIGN(Child child, spawn({.argv = {"/bin/sh", "-c", "echo arrived"},
                                           .pass_fds = {{pipe.write_end.get(), 1}}}));
  pipe.write_end.reset();
  EXPECT_EQ(read_to_end(pipe.read_end.get()), "arrived\n");
}

TEST(SpawnTest, IgnoredAndBlockedSignalsAreResetInTheChild) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGUSR1, &ignore, &before), 0);
  std::string mask = output_of("grep -E '^Sig(Ign|Blk)' /proc/self/status");
  ASSERT_EQ(::sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_EQ(mask, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(SpawnTest, ANewSessionHasTheChildAsItsLeader) {
  EXPECT_EQ(output_of("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo leader",
                      {.env = {"PATH=/usr/bin:/bin"}, .new_session = true}),
            "leader\n");
}

TEST(ChildTest, WaitingEndsAtTheDeadlineWithoutEndingTheChild) {
  Pipe pipe = make_pipe().value();
  ASSERT_OK_AND_ASSIGN(Child child,
                       spawn({.argv = {"/bin/cat"}, .pass_fds = {{pipe.read_end.get(), 0}}}));
  auto early = child.wait(Deadline::after(milliseconds(1)));
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().code, ErrorCode::kTimedOut);
  EXPECT_TRUE(child.running());
  pipe.write_end.reset();
  ASSERT_OK_AND_ASSIGN(ExitStatus status, child.wait(soon()));
  EXPECT_EQ(status.text(), "exited 0");
}

TEST(ChildTest, TheDestructorKillsAndReaps) {
  Pipe pipe = make_pipe().value();
  pid_t pid = 0;
  {
    ASSERT_OK_AND_ASSIGN(Child child,
                         spawn({.argv = {"/bin/cat"}, .pass_fds = {{pipe.read_end.get(), 0}}}));
    pid = child.pid();
    EXPECT_TRUE(process_key(pid).has_value());
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildTest, AnEndedProcessIsNotAliveEvenBeforeItIsReaped) {
  Pipe pipe = make_pipe().value();
  ASSERT_OK_AND_ASSIGN(Child child,
                       spawn({.argv = {"/bin/cat"}, .pass_fds = {{pipe.read_end.get(), 0}}}));
  std::optional<ProcessKey> key = process_key(child.pid());
  ASSERT_TRUE(key);
  EXPECT_TRUE(is_alive(*key));
  ASSERT_OK(child.signal(SIGKILL));
  ASSERT_OK_AND_ASSIGN(bool ended, wait_readable(child.pidfd(), soon()));
  EXPECT_TRUE(ended);
  EXPECT_FALSE(is_alive(*key));
  EXPECT_OK(child.signal(SIGTERM));  // signalling an ended child is not an error
  ASSERT_OK_AND_ASSIGN(ExitStatus status, child.wait(soon()));
  EXPECT_EQ(status.text(), "killed by SIGKILL");
}

TEST(ProcessInfoTest, AProcessIsIdentifiedByItsStartTime) {
  std::optional<ProcessKey> self = process_key(::getpid());
  ASSERT_TRUE(self);
  ProcessKey recycled{self->pid, self->start_time + 1};
  EXPECT_TRUE(is_alive(*self));
  EXPECT_FALSE(is_alive(recycled));
  EXPECT_EQ(process_key(0), std::nullopt);
}

TEST(ProcessInfoTest, AProcessNameThatLooksLikeStatFieldsIsSkipped) {
  Pipe in = make_pipe().value();
  Pipe out = make_pipe().value();
  ASSERT_OK_AND_ASSIGN(
      Child child,
      spawn({.argv = {"/bin/bash", "-c", "printf ') R 1 2 (' >/proc/$$/comm; echo done; read"},
             .pass_fds = {{in.read_end.get(), 0}, {out.write_end.get(), 1}}}));
  ASSERT_OK_AND_ASSIGN(bool renamed, wait_readable(out.read_end.get(), soon()));
  ASSERT_TRUE(renamed);
  EXPECT_EQ(process_name(child.pid()), ") R 1 2 (");
  std::optional<ProcessKey> key = process_key(child.pid());
  ASSERT_TRUE(key);
  EXPECT_GE(key->start_time, process_key(::getpid())->start_time);
}

TEST(ProcessInfoTest, ChildrenAndGrandchildrenAreInTheTree) {
  Pipe in = make_pipe().value();
  Pipe out = make_pipe().value();
  ASSERT_OK_AND_ASSIGN(Child child,
                       spawn({.argv = {"/bin/sh", "-c", "/bin/cat <&3 >&2 & echo $!; wait"},
                              .pass_fds = {{in.read_end.get(), 3}, {out.write_end.get(), 1}}}));
  std::vector<pid_t> children = children_of(::getpid());
  EXPECT_NE(std::ranges::find(children, child.pid()), children.end());
  ASSERT_OK_AND_ASSIGN(bool told, wait_readable(out.read_end.get(), soon()));
  ASSERT_TRUE(told);
  char text[32] = {};
  ASSERT_GT(::read(out.read_end.get(), text, sizeof text - 1), 0);
  pid_t grandchild = std::stoi(text);
  EXPECT_EQ(process_tree(child.pid()), (std::vector<pid_t>{child.pid(), grandchild}));
}

TEST(ProcessInfoTest, ACommandLineIsShownWithSpaces) {
  Pipe pipe = make_pipe().value();
  ASSERT_OK_AND_ASSIGN(
      Child child, spawn({.argv = {"/bin/cat", "-", "-"}, .pass_fds = {{pipe.read_end.get(), 0}}}));
  EXPECT_EQ(command_line(child.pid()), "/bin/cat - -");
  EXPECT_EQ(process_name(child.pid()), "cat");
  EXPECT_EQ(namespace_pid(child.pid()), child.pid());
}

TEST(ProcessInfoTest, AMissingProcessHasNoFacts) {
  EXPECT_TRUE(children_of(0).empty());
  EXPECT_EQ(namespace_pid(0), std::nullopt);
  EXPECT_EQ(process_name(0), "?");
  EXPECT_EQ(command_line(0), "?");
}

TEST(SignalTest, OneProcessAndOneGroupAreSignalled) {
  ASSERT_OK_AND_ASSIGN(Child child, spawn({.argv = {"/bin/sleep", "1000"}, .new_session = true}));
  EXPECT_OK(signal_process(child.pid(), 0));
  EXPECT_OK(signal_group(child.pid(), SIGTERM));
  ASSERT_OK_AND_ASSIGN(ExitStatus ended, child.wait(Deadline::after(seconds(20))));
  EXPECT_EQ(ended.text(), "killed by SIGTERM");
}

// Signal 0 has no effect. If these calls reached kill(2), they would succeed.
TEST(SignalTest, PidsThatMeanManyProcessesAreRefused) {
  for (pid_t many : {0, -1, -2, -::getpgrp()}) {
    EXPECT_EQ(signal_process(many, 0).error().code, ErrorCode::kInvalidArgument) << many;
    EXPECT_EQ(signal_group(many, 0).error().code, ErrorCode::kInvalidArgument) << many;
  }
  EXPECT_EQ(signal_group(1, 0).error().code, ErrorCode::kInvalidArgument) << "kill(-1) means all";
}

TEST(SignalTest, AProcessThatIsGoneIsAnError) {
  ASSERT_OK_AND_ASSIGN(Child child, spawn({.argv = {"/bin/true"}}));
  const pid_t pid = child.pid();
  ASSERT_OK(child.wait(Deadline::after(seconds(20))));
  EXPECT_EQ(signal_process(pid, 0).error().os_errno, ESRCH);
}

}  // namespace
}  // namespace sf::os
