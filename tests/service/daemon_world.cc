#include "daemon_world.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "os/file.h"
#include "os/run_program.h"
#include "os/socket.h"

namespace sf::test {
namespace {

const seconds kTimeout{60};

}  // namespace

DaemonWorld::DaemonWorld(std::vector<std::string> environment, std::string state_dir)
    : dir_("sf-daemon"),
      environment_(std::move(environment)),
      state_dir_(state_dir.empty() ? dir_ / "state" : std::move(state_dir)) {
  leaks_.add_mark(dir_.path());
}

DaemonWorld::~DaemonWorld() {
  auto sessions = wire::Json::parse(output({"ls", "--json"}), nullptr, false);
  if (sessions.is_object()) {
    for (const wire::Json& session : sessions["sessions"]) output({"rm", session["id"]});
  }
  end_daemon(SIGTERM);
  leaks_.verify(Deadline::after(seconds(20)));
}

CommandRun DaemonWorld::run(std::vector<std::string> arguments) {
  return run_with_input("", std::move(arguments));
}

CommandRun DaemonWorld::run_with_input(const std::string& input,
                                       std::vector<std::string> arguments) {
  const std::string files = dir_ / ("run" + std::to_string(runs_++));
  EXPECT_OK(os::write_file(files + ".in", input));
  const std::string script = "exec \"$@\" <" + files + ".in 2>" + files + ".err";
  std::vector<std::string> argv{"/bin/sh", "-c", script, "sh", SF_PROGRAM};
  argv.push_back(arguments.front());
  argv.insert(argv.end(), {"--socket", socket(), "--state", state_dir()});
  argv.insert(argv.end(), arguments.begin() + 1, arguments.end());
  auto ran = os::run_program(argv, Deadline::after(kTimeout), {.env = environment_});
  auto err = os::read_file(files + ".err");
  if (!ran) {
    ADD_FAILURE() << arguments.front() << ": " << ran.error().describe();
    return {};
  }
  return {ran->status.shell_code(), ran->text, err ? *err : ""};
}

std::string DaemonWorld::output(std::vector<std::string> arguments) {
  std::string shown = ::testing::PrintToString(arguments);
  CommandRun ran = run(std::move(arguments));
  EXPECT_EQ(ran.status, 0) << shown << ": " << ran.err;
  if (ran.out.ends_with('\n')) ran.out.pop_back();
  return ran.out;
}

CommandRun DaemonWorld::exec(const std::string& session, const std::string& command) {
  return run({"exec", session, "--", command});
}

std::string DaemonWorld::exec_output(const std::string& session, const std::string& command) {
  return output({"exec", session, "--", command});
}

void DaemonWorld::wait_until_running(const std::string& session) const {
  Deadline deadline = Deadline::after(kTimeout);
  while (!deadline.passed()) {
    auto tree = client().get("/v1/sessions/" + session + "/tree");
    ASSERT_OK(tree);
    for (const wire::Json& branch : (*tree)["branches"]) {
      if (branch["id"] != "main" || branch["pending"].empty()) continue;
      if (branch["pending"].back()["outcome_unknown"] == true) return;
    }
  }
  FAIL() << "nothing is running in " << session;
}

std::string DaemonWorld::send_raw(const std::string& bytes, Then then) const {
  auto connected = os::connect_unix(socket());
  EXPECT_OK(connected);
  if (!connected) return "";
  int fd = connected->get();
  std::string_view left = bytes;
  while (!left.empty()) {
    ssize_t n = ::send(fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (n <= 0) break;  // the daemon has closed the connection
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  if (then == Then::kHangUp) ::shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (;;) {
    auto ready = os::wait_readable(fd, Deadline::after(kTimeout));
    if (!ready || !*ready) {
      ADD_FAILURE() << "no answer";
      break;
    }
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  return answer;
}

pid_t DaemonWorld::daemon_pid() const {
  auto health = client().get("/healthz");
  EXPECT_OK(health);
  return health ? (*health)["pid"].get<pid_t>() : 0;
}

void DaemonWorld::end_daemon(int signal) const {
  pid_t pid = daemon_pid();
  ASSERT_GT(pid, 0);
  os::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ASSERT_TRUE(process.valid());
  ASSERT_EQ(::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0), 0);
  auto ended = os::wait_readable(process.get(), Deadline::after(kTimeout));
  ASSERT_TRUE(ended.ok() && *ended) << "the daemon does not end";
}

std::size_t DaemonWorld::running_daemons() const {
  std::size_t count = 0;
  for (const std::string& process : read_host_state().processes) {
    bool ours = process.find(dir_.path()) != std::string::npos;
    count += ours && process.find("statefork-daemon") != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace sf::test
