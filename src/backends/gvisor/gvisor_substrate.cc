#include "backends/gvisor/gvisor_substrate.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "agent/agent_location.h"
#include "backends/gvisor/bundle.h"
#include "backends/hosted/tool_search.h"
#include "base/split.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/pipe.h"
#include "os/run_program.h"

namespace sf::backends {

using waypoint::BranchConfig;
using waypoint::Network;
using wire::Json;

namespace {

constexpr auto kTimeout = std::chrono::minutes(5);
constexpr auto kRelayEnd = seconds(5);
constexpr auto kQuestionTime = seconds(30);
constexpr std::size_t kMaxLog = 1U << 20U;
constexpr const char* kAgentNote = "/agent-path";  // the agent's path, of a sandbox or a state
const std::vector<std::string> kEnv = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"};

std::string last_line(const std::string& text) {
  std::string last;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

Status GvisorSubstrate::check(const BranchConfig& config) const {
  if (config.root.starts_with(kImagePrefix))
    return fail(ErrorCode::kUnsupported, "gVisor needs a directory, not an image",
                "unpack the image into a directory and use that");
  if (config.network != Network::kNone)
    return fail(ErrorCode::kUnsupported, "a gVisor sandbox has only a loopback network",
                "use network none");
  if (config.limits.memory_bytes || config.limits.pids || config.limits.cpus)
    return fail(ErrorCode::kUnsupported, "the gvisor backend does not support limits",
                "remove them, or use the waypoint backend");
  return Ok{};
}

std::vector<std::string> GvisorSubstrate::command(std::vector<std::string> arguments) const {
  // systrap also works in virtual machines. Changes to the root stay in the sandbox, and so in its
  // checkpoints.
  arguments.insert(arguments.begin(),
                   {options_.runsc, "--root", options_.directory + "/run", "--network", "none",
                    "--ignore-cgroups", "--platform", "systrap", "--overlay2=root:memory"});
  return arguments;
}

Status GvisorSubstrate::run(const std::string& sandbox, std::vector<std::string> arguments) {
  const std::string verb = arguments.front();
  const std::string log = sandbox_dir(sandbox) + "/" + verb + ".log";
  SF_TRY(os::make_directories(sandbox_dir(sandbox)));
  SF_TRY_ASSIGN(os::UniqueFd output,
                os::open_file(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  os::SpawnOptions options;
  options.argv = command(std::move(arguments));
  options.env = kEnv;
  options.pass_fds = {{output.get(), 1}, {output.get(), 2}};
  options.new_session = true;
  SF_TRY_ASSIGN(os::Child child, os::spawn(options));
  SF_TRY_ASSIGN(os::ExitStatus status, child.wait(Deadline::after(kTimeout)));
  if (status.shell_code() == 0) return Ok{};
  auto said = os::read_file(log, kMaxLog);
  return fail(ErrorCode::kOs,
              "runsc " + verb + ": " + (said && !said->empty() ? last_line(*said) : status.text()));
}

Status GvisorSubstrate::make_bundle(const std::string& sandbox, const BranchConfig& config,
                                    const std::string& agent) {
  SF_TRY(os::make_directories(sandbox_dir(sandbox)));
  SF_TRY(os::write_file(sandbox_dir(sandbox) + kAgentNote, agent));
  return os::publish_file(sandbox_dir(sandbox) + "/config.json",
                          bundle_config(config, agent).dump(1));
}

Status GvisorSubstrate::start(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY(make_bundle(sandbox, config, options_.agent));
  return run(sandbox, {"run", "--detach", "--bundle", sandbox_dir(sandbox), sandbox});
}

Status GvisorSubstrate::revive(const std::string& state, const std::string& sandbox,
                               const BranchConfig& config) {
  SF_TRY_ASSIGN(std::string agent, os::read_file(state_dir(state) + kAgentNote));
  SF_TRY(make_bundle(sandbox, config, agent));
  return run(sandbox, {"restore", "--detach", "--bundle", sandbox_dir(sandbox), "--image-path",
                       state_dir(state), sandbox});
}

Result<std::unique_ptr<GvisorSubstrate::Relay>> GvisorSubstrate::start_relay(
    const std::string& sandbox) {
  if (!os::exists(sandbox_dir(sandbox))) return fail(ErrorCode::kNotFound, "no sandbox " + sandbox);
  SF_TRY_ASSIGN(os::Pipe to, os::make_pipe());
  SF_TRY_ASSIGN(os::Pipe from, os::make_pipe());
  os::SpawnOptions options;
  options.argv = command({"exec", sandbox, agent::kAgentPath, "relay"});
  options.env = kEnv;
  options.pass_fds = {{to.read_end.get(), 0}, {from.write_end.get(), 1}};
  auto relay = std::make_unique<Relay>();
  SF_TRY_ASSIGN(relay->process, os::spawn(options));
  SF_TRY_ASSIGN(relay->link, MuxLink::start(std::move(from.read_end), std::move(to.write_end)));
  return relay;
}

Result<os::UniqueFd> GvisorSubstrate::connect(const std::string& sandbox) {
  auto way = relays_.at(sandbox);
  std::lock_guard lock(way->mutex);
  if (!way->value || way->value->link->ended()) {
    if (way->value) {
      SF_TRY_ASSIGN(bool runs, is_running(sandbox));
      if (!runs) return fail(ErrorCode::kNotFound, "the sandbox " + sandbox + " has ended");
    }
    SF_TRY_ASSIGN(way->value, start_relay(sandbox));
  }
  return way->value->link->connect();
}

Result<bool> GvisorSubstrate::is_running(const std::string& sandbox) const {
  SF_TRY_ASSIGN(
      os::ProgramOutput asked,
      os::run_program(command({"state", sandbox}), Deadline::after(kQuestionTime), {.env = kEnv}));
  if (!asked.succeeded()) return false;  // runsc does not know the sandbox
  const Json state = Json::parse(asked.text, nullptr, false);
  return state.is_object() && state.value("status", Json()) == "running";
}

void GvisorSubstrate::end_relay(const std::string& sandbox) {
  auto way = relays_.at(sandbox);
  std::lock_guard lock(way->mutex);
  if (!way->value) return;
  way->value->link.reset();  // closing the relay's input ends the relay
  (void)way->value->process.wait(Deadline::after(kRelayEnd));
  way->value.reset();
}

Result<KeptState> GvisorSubstrate::keep(const std::string& sandbox, const std::string& state) {
  end_relay(sandbox);  // a checkpoint cannot hold its descriptors, which are the host's
  SF_TRY(os::make_directories(state_dir(state)));
  SF_TRY_ASSIGN(std::string agent, os::read_file(sandbox_dir(sandbox) + kAgentNote));
  SF_TRY(os::write_file(state_dir(state) + kAgentNote, agent));
  Stopwatch stopped;
  SF_TRY(run(sandbox, {"checkpoint", "--compression", "none", "--leave-running", "--image-path",
                       state_dir(state), sandbox}));
  return KeptState{.bytes = os::tree_bytes(state_dir(state)), .stopped = stopped.elapsed()};
}

Status GvisorSubstrate::end(const std::string& sandbox) {
  end_relay(sandbox);
  if (!os::exists(sandbox_dir(sandbox))) return Ok{};
  SF_TRY(run(sandbox, {"delete", "--force", sandbox}));
  end_relay(sandbox);  // another call may have started one
  relays_.erase(sandbox);
  return os::remove_tree(sandbox_dir(sandbox));
}

Status GvisorSubstrate::remove(const std::string& state) {
  return os::remove_tree(state_dir(state));
}

Result<std::vector<std::string>> GvisorSubstrate::sandboxes() {
  return names_in(options_.directory + "/boxes");
}

Result<std::vector<std::string>> GvisorSubstrate::states() {
  return names_in(options_.directory + "/states");
}

}  // namespace sf::backends
