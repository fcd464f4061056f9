#include "agent/agent.h"

#include <unistd.h>

#include "agent/process_list.h"

namespace sf::agent {

using waypoint::answer;
using waypoint::BranchConfig;
using waypoint::ClientPtr;
using wire::Frame;

Agent::Agent(os::Poller poller)
    : poller_(std::move(poller)), server_(poller_, [this](const ClientPtr& client, Frame frame) {
        Status served = serve(client, std::move(frame));
        if (!served) client->send_error(served.error());
      }) {
  operations_.add(this, &Agent::hello);
  operations_.add(this, &Agent::start);
  operations_.add(this, &Agent::hang_up);
  operations_.add(this, &Agent::facts);
}

Result<std::unique_ptr<Agent>> Agent::listen(const std::string& socket_path) {
  SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
  std::unique_ptr<Agent> agent(new Agent(std::move(poller)));
  SF_TRY(agent->server_.listen(socket_path));
  return agent;
}

Status Agent::run() {
  for (;;) {
    SF_TRY(poller_.run_once(shell_ ? shell_->next_wake() : Deadline::never()));
    if (!shell_) continue;
    shell_->on_time();
    shell_->run_waiting();
  }
}

Status Agent::serve(const ClientPtr& client, Frame frame) const {
  if (operations_.knows(frame)) return operations_.serve(client, std::move(frame));
  if (!shell_) return fail(ErrorCode::kBusy, "no shell is running", "start one first");
  return shell_->serve(client, std::move(frame));
}

Status Agent::hello(const ClientPtr& client, wire::HelloCall /*call*/) {
  return answer(client, wire::HelloReply{.started = shell_.has_value()});
}

Status Agent::hang_up(const ClientPtr& client, wire::HangUpCall /*call*/) {
  server_.close_all_but(*client);
  return answer(client, wire::Done{});
}

Status Agent::start(const ClientPtr& client, wire::StartCall call) {
  if (shell_) return fail(ErrorCode::kBusy, "a shell is already running");
  SF_TRY_ASSIGN(BranchConfig config, waypoint::branch_config_from_json(call.config));
  // Needed in a virtual machine. In a container the runtime has set the name, and this call fails.
  (void)::sethostname(config.hostname.data(), config.hostname.size());
  auto host = std::make_unique<waypoint::ShellHost>(poller_, std::move(config), "", gate_);
  SF_TRY(host->choose_user());
  SF_TRY(host->open(::getpid(), ""));
  SF_TRY(host->start_shell());
  host_ = std::move(host);
  shell_.emplace(
      *host_, gate_, [this] { return background(); }, nullptr);
  return answer(client, wire::LiveReply{});
}

waypoint::ProcessSet Agent::background() const {
  waypoint::ProcessSet found;
  const waypoint::OwnProcesses own = host_->own_processes();
  for (const ListedProcess& process : list_processes()) {
    if (!process.ended && !own.contains(process.pid))
      found.emplace(process.pid, process.start_time);
  }
  return found;
}

Status Agent::facts(const ClientPtr& client, wire::FactsCall /*call*/) {
  BranchFacts facts{.at_prompt = shell_ && host_->is_at_rest()};
  for (const ListedProcess& process : list_processes())
    facts.resident_bytes += process.resident_bytes;
  if (shell_) facts.background_processes = static_cast<std::uint32_t>(background().size());
  return answer(client, facts);
}

}  // namespace sf::agent
