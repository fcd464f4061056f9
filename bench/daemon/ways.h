// Ways: the interfaces through which the verbs are called: the library, the daemon's API and the
// command line. Each has its own session.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "waypoint/waypoint.h"

namespace sf::bench {

class Way {  // Not thread-safe.
 public:
  virtual ~Way() = default;
  virtual std::string_view name() const = 0;
  // Runs the command; its exit status must be 0.
  virtual Status exec(const std::string& command) = 0;
  virtual Status snapshot() = 0;
  // Restores the last snapshot.
  virtual Status restore() = 0;
  // Forks the last snapshot.
  virtual Status fork(std::size_t count) = 0;
  // Not timed.
  virtual Status end_forks() = 0;
};

class LibraryWay final : public Way {
 public:
  LibraryWay(waypoint::Waypoint& manager, waypoint::BranchId branch)
      : manager_(manager), branch_(std::move(branch)) {}
  std::string_view name() const override { return "library"; }
  Status exec(const std::string& command) override;
  Status snapshot() override;
  Status restore() override;
  Status fork(std::size_t count) override;
  Status end_forks() override;
  Result<pid_t> keeper() const;

 private:
  waypoint::Waypoint& manager_;
  waypoint::BranchId branch_;
  waypoint::CheckpointId last_;
  std::vector<waypoint::BranchId> forks_;
};

class DaemonWay : public Way {
 public:
  DaemonWay(const client::ApiClient& client, std::string session)
      : client_(client), session_(std::move(session)) {}
  std::string_view name() const override { return "daemon"; }
  Status exec(const std::string& command) override;
  Status snapshot() override;
  Status restore() override;
  Status fork(std::size_t count) override;
  Status end_forks() override;

 protected:
  std::string branch_path() const { return "/v1/sessions/" + session_ + "/branches/main"; }
  const client::ApiClient& client_;
  std::string session_;
};

// Starts a process for each call.
class CommandLineWay final : public DaemonWay {
 public:
  CommandLineWay(const client::ApiClient& client, std::string session, std::string program,
                 std::string socket)
      : DaemonWay(client, std::move(session)),
        program_(std::move(program)),
        socket_(std::move(socket)) {}
  std::string_view name() const override { return "CLI"; }
  Status exec(const std::string& command) override;
  Status snapshot() override;
  Status restore() override;
  Status fork(std::size_t count) override;

 private:
  Status run(std::vector<std::string> words) const;
  std::string program_;
  std::string socket_;
};

}  // namespace sf::bench
