// SessionClient: one session of the daemon, in the words of its API, for programs that drive it.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/api_client.h"
#include "wire/json.h"

namespace sf::client {

struct CommandSeen {
  std::string output;
  int exit_code = 0;
  bool timed_out = false;
  microseconds duration{0};
};

struct ProgramCall {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string user;
  milliseconds timeout{120'000};
};
struct ProgramSeen {
  std::string standard_output;
  std::string standard_error;
  int exit_code = 0;
  bool timed_out = false;
};

using Notes = std::map<std::string, std::string>;

inline constexpr const char* kUnprovenNote = "statefork.unproven";

class SessionClient {
 public:
  SessionClient(ApiClient api, std::string session);

  const std::string& session() const { return session_; }
  Result<CommandSeen> exec(const std::string& branch, const std::string& command,
                           milliseconds timeout, std::size_t max_output) const;
  // The same, given up when `stopping` says so: then nothing comes back, and the command goes on
  // until its branch is ended.
  Result<std::optional<CommandSeen>> exec_until(const std::string& branch,
                                                const std::string& command, milliseconds timeout,
                                                std::size_t max_output,
                                                const std::function<bool()>& stopping) const;
  Result<ProgramSeen> run(const std::string& branch, const ProgramCall& call) const;
  // The node.
  Result<std::string> snapshot(const std::string& branch, const Notes& notes = {}) const;
  // If the state is not proven to be the node's, a note on the node says why (kUnprovenNote).
  Status restore(const std::string& branch, const std::string& node) const;
  // A new live branch of that name. As restore().
  Status fork(const std::string& node, const std::string& name) const;
  // Succeeds when there is none.
  Status end_branch(const std::string& branch) const;
  Status write_file(const std::string& branch, const std::string& path, std::string bytes) const;
  Result<std::string> read_file(const std::string& branch, const std::string& path) const;
  Status set_notes(const std::string& node, const Notes& notes) const;
  Result<wire::Json> tree() const;
  Result<wire::Json> diff(const std::string& from, const std::string& to) const;

 private:
  Status note_doubt(const std::string& node, const wire::Json& answer) const;
  std::string branch_path(const std::string& branch) const;

  ApiClient api_;
  std::string session_;
  std::string path_;
};

}  // namespace sf::client
