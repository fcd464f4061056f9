// ShellBackend: the operations on a live branch that all backends share: commands, the terminal,
// files and facts. Each one is a request to the server of the branch's shell: Waypoint's keeper, or
// the agent in a sandbox. Backends differ in how they start, keep, restore and end a branch.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "control/backend.h"
#include "shell/shell_client.h"

namespace sf::backends {

class ShellBackend : public control::Backend {
 public:
  Result<Observation> exec(const control::BranchHandle& branch, const ExecRequest& request,
                           const OutputSink& sink) override;
  Result<SideObservation> run(const control::BranchHandle& branch,
                              const SideRequest& request) override;
  Result<TypedKeys> send_keys(const control::BranchHandle& branch, std::string_view keys) override;
  Result<TypedKeys> send_input(const control::BranchHandle& branch,
                               const InputEvents& input) override;
  Result<ScreenText> screen(const control::BranchHandle& branch, std::size_t scrollback) override;
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<WindowSize> window(const control::BranchHandle& branch) override;
  Result<std::unique_ptr<TerminalFeed>> watch(const control::BranchHandle& branch) override;
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;
  Status write_file(const control::BranchHandle& branch, const std::string& path,
                    std::string_view content) override;
  Result<BranchFacts> facts(const control::BranchHandle& branch) override;

 protected:
  // A connection to a branch's shell for one request.
  struct Talk {
    waypoint::ShellClient shell;
    std::shared_ptr<void> held = {};  // keeps locks and objects during the request
  };
  virtual Result<Talk> talk(const control::BranchHandle& branch) = 0;
  // Explains a failed request: whether the branch is lost, or only the connection to it.
  virtual Error explain(const control::BranchHandle& branch, Error error) = 0;
  // Whether commands record a fingerprint, with which a checkpoint can detect an unchanged state.
  virtual bool notices_unchanged() const { return false; }
  // Whether digest() is supported.
  virtual bool has_digests() const { return false; }

 private:
  template <typename Request>
  auto ask(const control::BranchHandle& branch, Request request)
      -> decltype(request(std::declval<waypoint::ShellClient&>())) {
    auto way = talk(branch);
    if (!way) return explain(branch, std::move(way).error());
    auto reply = request(way->shell);
    if (!reply) return explain(branch, std::move(reply).error());
    return reply;
  }
};

}  // namespace sf::backends
