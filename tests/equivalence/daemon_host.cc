#include "daemon_host.h"

#include <nlohmann/json.hpp>

namespace sf::equivalence {
namespace {

using wire::Json;

constexpr milliseconds kInstallTime{60'000};

std::string session_path(const std::string& session) { return "/v1/sessions/" + session; }

std::string branch_path(const BranchId& branch) {
  std::size_t slash = branch.value().find('/');
  return session_path(branch.value().substr(0, slash)) + "/branches/" +
         branch.value().substr(slash + 1);
}

struct NodeLocation {
  std::string session;
  std::string node;
};
NodeLocation location_of(const CheckpointId& checkpoint) {
  std::size_t space = checkpoint.value().find(' ');
  return {checkpoint.value().substr(0, space), checkpoint.value().substr(space + 1)};
}

}  // namespace

Result<std::unique_ptr<DaemonHost>> DaemonHost::open(std::vector<std::string> environment) {
  std::unique_ptr<DaemonHost> host(new DaemonHost(std::move(environment)));
  SF_TRY_ASSIGN(host->programs_, test_programs());
  host->world_->output({"ls"});  // starts the daemon
  return host;
}

void DaemonHost::use(std::string backend, std::string policy, std::string root) {
  backend_ = std::move(backend);
  policy_ = std::move(policy);
  root_ = std::move(root);
}

Result<BranchId> DaemonHost::start(const std::string& user) {
  Json wanted = {{"backend", backend_}, {"policy", policy_}, {"user", user}};
  if (!root_.empty()) wanted["root"] = root_;
  SF_TRY_ASSIGN(Json session, client_.post("/v1/sessions", wanted));
  BranchId branch(session["id"].get<std::string>() + "/main");
  if (root_.empty()) SF_TRY(install(branch_path(branch)));
  return branch;
}

// The installed programs are too large to be replayed, so a snapshot makes them a node of their
// own.
Status DaemonHost::install(const std::string& path) {
  SF_TRY(client_.put_bytes(path + "/files?path=/programs", programs_));
  SF_TRY(client_.put_bytes(path + "/files?path=/install", install_script()));
  SF_TRY_ASSIGN(Json done, client_.post(path + "/exec",
                                        {{"command", "bash /install </programs && rm /programs"},
                                         {"timeout_ms", kInstallTime.count()}}));
  if (done["exit_code"] != 0)
    return fail(ErrorCode::kOs, "installing the test programs: " + done.dump());
  SF_TRY(client_.post(path + "/snapshot", Json::object()));
  return Ok{};
}

Result<BranchId> DaemonHost::fork(const CheckpointId& checkpoint) {
  auto [session, node] = location_of(checkpoint);
  SF_TRY_ASSIGN(Json forks,
                client_.post(session_path(session) + "/branches/main/fork", {{"node", node}}));
  const Json& fork = forks["branches"][0];
  if (!fork.contains("branch")) return fail(ErrorCode::kOs, "forking: " + fork.dump());
  return BranchId(session + "/" + fork["branch"].get<std::string>());
}

Result<Observation> DaemonHost::exec(const BranchId& branch, const std::string& command,
                                     milliseconds patience) {
  SF_TRY_ASSIGN(Json seen, client_.post(branch_path(branch) + "/exec",
                                        {{"command", command}, {"timeout_ms", patience.count()}}));
  Observation observation{command, seen["output"], seen["exit_code"]};
  if (seen["timed_out"] == true) observation.output += "(timed out)\n";
  if (seen["shell_restarted"] == true) observation.output += "(the shell was lost)\n";
  return observation;
}

Result<CheckpointId> DaemonHost::checkpoint(const BranchId& branch) {
  SF_TRY_ASSIGN(Json report, client_.post(branch_path(branch) + "/snapshot", Json::object()));
  // A virtual node would be replayed, which may print the same output by chance.
  if (policy_ == "eager" && backend_ != "replay" && report["kind"] != "physical")
    return fail(ErrorCode::kUnsupported, "not captured: " + report.dump());
  return CheckpointId(branch.value().substr(0, branch.value().find('/')) + " " +
                      report["node"].get<std::string>());
}

Status DaemonHost::restore(const BranchId& branch, const CheckpointId& checkpoint) {
  SF_TRY(client_.post(branch_path(branch) + "/restore", {{"node", location_of(checkpoint).node}}));
  return Ok{};
}

Status DaemonHost::end(const BranchId& branch) {
  bool is_first = branch.value().ends_with("/main");
  std::string session = branch.value().substr(0, branch.value().find('/'));
  SF_TRY(client_.remove(is_first ? session_path(session) : branch_path(branch)));
  return Ok{};
}

}  // namespace sf::equivalence
