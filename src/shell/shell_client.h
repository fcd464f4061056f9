// ShellClient: sends requests to a ShellServer in a keeper or an agent. Thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "base/branch_facts.h"
#include "base/command.h"
#include "base/input_events.h"
#include "base/result.h"
#include "shell/terminal_watch.h"
#include "terminal/screen.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {

class ShellClient {
 public:
  explicit ShellClient(std::shared_ptr<KeeperClient> server) : server_(std::move(server)) {}

  Result<Observation> exec(const ExecRequest& request, const OutputSink& sink);
  Result<SideObservation> side_exec(const SideRequest& request);
  // Types all bytes or none. kBusy: they do not fit now.
  Result<TypedKeys> send_keys(std::string_view bytes);
  Result<TypedKeys> send_input(const InputEvents& input);
  Result<ScreenText> screen(std::size_t scrollback_lines);
  Status resize(WindowSize size);
  // At most kMaxFileWrite bytes.
  Status write_file(const std::string& path, std::string_view content);
  Result<std::string> read_file(const std::string& path, std::size_t max_bytes);
  // The processes and the memory of the branch now.
  Result<BranchFacts> facts();
  Result<TerminalWatch> watch();

 private:
  std::shared_ptr<KeeperClient> server_;
};

}  // namespace sf::waypoint
