// SessionClient: the daemon's API for one session. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/command.h"
#include "base/result.h"
#include "client/api_client.h"
#include "wire/json.h"

namespace sf::client {

using Notes = std::map<std::string, std::string>;

inline constexpr const char* kUnprovenNote = "statefork.unproven";

class SessionClient {
 public:
  SessionClient(ApiClient api, std::string session);

  const std::string& session() const { return session_; }
  Result<Observation> exec(const std::string& branch, const ExecRequest& request) const;
  // Like exec(), but returns an empty optional as soon as `stopping` returns true. The command then
  // continues to run until its branch is ended.
  Result<std::optional<Observation>> exec_until(const std::string& branch,
                                                const ExecRequest& request,
                                                const std::function<bool()>& stopping) const;
  // Does not pass the request's standard input.
  Result<SideObservation> run(const std::string& branch, const SideRequest& call) const;
  // Returns the new node's id.
  Result<std::string> snapshot(const std::string& branch, const Notes& notes = {}) const;
  // If the restored state is not proven to equal the node's, sets kUnprovenNote on the node.
  Status restore(const std::string& branch, const std::string& node) const;
  // Makes a new live branch called `name`. Sets kUnprovenNote like restore().
  Status fork(const std::string& node, const std::string& name) const;
  // Succeeds if there is no such branch.
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
