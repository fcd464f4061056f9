// ShellBackend: everything that a live branch is asked for, once for all backends: commands, the
// terminal, files and facts. Each of them is a request to the server of the branch's shell, which
// is Waypoint's keeper or the agent in a sandbox. How a branch is started, kept, brought back and
// ended is where backends differ.
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
  // The way to a branch's shell for the length of one request.
  struct Talk {
    waypoint::ShellClient shell;
    std::shared_ptr<void> held = {};  // what must stay as it is meanwhile
  };
  virtual Result<Talk> talk(const control::BranchHandle& branch) = 0;
  // What a failed request means: whether the branch is lost, or only the way to it.
  virtual Error explain(const control::BranchHandle& branch, Error error) = 0;
  // Whether commands are to leave behind what lets a checkpoint find the state unchanged.
  virtual bool notices_unchanged() const { return false; }
  // Whether digest() has an answer.
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
