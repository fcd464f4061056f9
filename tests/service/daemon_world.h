// DaemonWorld: its own socket and state directory, and the command line to use them. As for a user,
// the first command that needs the daemon starts it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "testing/leak_check.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::test {

struct CommandRun {
  int status = -1;
  std::string out;
  std::string err;
};

class DaemonWorld {
 public:
  // `environment`: variables of the command line and the daemon that it starts, as "KEY=value".
  // `state_dir`: the daemon's state directory; if empty, a temporary one.
  explicit DaemonWorld(std::vector<std::string> environment = {}, std::string state_dir = {});
  ~DaemonWorld();  // ends all sessions and the daemon, and checks for leaks

  // `statefork ARGUMENTS`, with this world's socket and state. Thread-safe.
  CommandRun run(std::vector<std::string> arguments);
  // The same with a command line on its standard input.
  CommandRun run_with_input(const std::string& input, std::vector<std::string> arguments);
  // Runs a command that must succeed. Returns its output without the final newline.
  std::string output(std::vector<std::string> arguments);
  // exec S -- COMMAND
  CommandRun exec(const std::string& session, const std::string& command);
  std::string exec_output(const std::string& session, const std::string& command);

  // Returns when a command is running on the session's branch main.
  void wait_until_running(const std::string& session) const;

  client::ApiClient client() const { return client::ApiClient(socket()); }
  std::string socket() const { return dir_ / "s.sock"; }
  std::string state_dir() const { return state_dir_; }
  // Sends raw bytes and returns all that the daemon sends until it closes the connection. kHangUp:
  // shuts down the sending side first.
  enum class Then { kWait, kHangUp };
  std::string send_raw(const std::string& bytes, Then then = Then::kWait) const;

  pid_t daemon_pid() const;
  // Sends the signal and waits until the daemon has ended.
  void end_daemon(int signal) const;
  std::size_t running_daemons() const;

 private:
  LeakCheck leaks_;
  TempDir dir_;
  std::vector<std::string> environment_;
  std::string state_dir_;
  std::atomic<int> runs_ = 0;
};

}  // namespace sf::test
