#include "client/session_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "wire/base64.h"
#include "wire/problem.h"

namespace sf::client {

using wire::Json;

namespace {

// `KEY`, or the bytes of `KEY_base64` if the value is not UTF-8.
Result<std::string> bytes_of(const Json& answer, const std::string& key) {
  if (answer.contains(key + "_base64"))
    return wire::from_base64(answer.at(key + "_base64").get<std::string>());
  return answer.value(key, "");
}

Json body_of(const ExecRequest& request) {
  const bool is_text = wire::is_utf8(request.command);
  return {{is_text ? "command" : "command_base64",
           is_text ? request.command : wire::to_base64(request.command)},
          {"timeout_ms", request.timeout.count()},
          {"max_output", request.max_output}};
}

Result<Observation> observation_from(const Json& answer) {
  Observation seen;
  SF_TRY_ASSIGN(seen.output, bytes_of(answer, "output"));
  seen.exit_code = answer.value("exit_code", -1);
  seen.output_bytes = answer.value("output_bytes", std::uint64_t{0});
  seen.duration = microseconds(answer.value("duration_us", 0LL));
  seen.timed_out = answer.value("timed_out", false);
  seen.truncated = answer.value("truncated", false);
  return seen;
}

}  // namespace

SessionClient::SessionClient(ApiClient api, std::string session)
    : api_(std::move(api)),
      session_(std::move(session)),
      path_("/v1/sessions/" + path_part(session_)) {}

std::string SessionClient::branch_path(const std::string& branch) const {
  return path_ + "/branches/" + path_part(branch);
}

Result<Observation> SessionClient::exec(const std::string& branch,
                                        const ExecRequest& request) const {
  SF_TRY_ASSIGN(Json answer, api_.post(branch_path(branch) + "/exec", body_of(request)));
  return observation_from(answer);
}

Result<std::optional<Observation>> SessionClient::exec_until(
    const std::string& branch, const ExecRequest& request,
    const std::function<bool()>& stopping) const {
  constexpr const char* kWait = "100";  // milliseconds between two calls of stopping()
  const std::string executions = branch_path(branch) + "/executions";
  SF_TRY_ASSIGN(Json begun, api_.post(executions, body_of(request)));
  const std::string path =
      executions + "/" + path_part(begun.value("execution", "")) + query({{"wait_ms", kWait}});
  while (!stopping()) {
    SF_TRY_ASSIGN(Json execution, api_.get(path));
    const std::string state = execution.value("state", "");
    if (state == "failed") {
      const Json& problem = execution.at("problem");
      return wire::error_from_problem(problem.value("status", 500), problem.dump());
    }
    if (state != "done") continue;
    SF_TRY_ASSIGN(Observation seen, observation_from(execution.at("result")));
    return std::optional(std::move(seen));
  }
  return std::optional<Observation>();
}

Result<SideObservation> SessionClient::run(const std::string& branch,
                                           const SideRequest& call) const {
  Json request = {
      {"argv", call.argv}, {"timeout_ms", call.timeout.count()}, {"max_output", call.max_output}};
  if (!call.env.empty()) request["env"] = call.env;
  if (!call.cwd.empty()) request["cwd"] = call.cwd;
  if (!call.user.empty()) request["user"] = call.user;
  SF_TRY_ASSIGN(Json answer, api_.post(branch_path(branch) + "/run", request));
  SideObservation seen;
  SF_TRY_ASSIGN(seen.standard_output, bytes_of(answer, "stdout"));
  SF_TRY_ASSIGN(seen.standard_error, bytes_of(answer, "stderr"));
  seen.exit_code = answer.value("exit_code", -1);
  seen.timed_out = answer.value("timed_out", false);
  return seen;
}

Result<std::string> SessionClient::snapshot(const std::string& branch, const Notes& notes) const {
  Json request = Json::object();
  if (!notes.empty()) request["notes"] = notes;
  SF_TRY_ASSIGN(Json answer, api_.post(branch_path(branch) + "/snapshot", request));
  return answer.value("node", "");
}

Status SessionClient::restore(const std::string& branch, const std::string& node) const {
  SF_TRY_ASSIGN(Json answer, api_.post(branch_path(branch) + "/restore", {{"node", node}}));
  return note_doubt(node, answer);
}

Status SessionClient::note_doubt(const std::string& node, const Json& answer) const {
  const std::string why = answer.value("unproven", "");
  return why.empty() ? Status(Ok{}) : set_notes(node, {{kUnprovenNote, why}});
}

Status SessionClient::fork(const std::string& node, const std::string& name) const {
  const Json request = {{"node", node}, {"names", Json::array({name})}};
  SF_TRY_ASSIGN(Json answer, api_.post(branch_path("main") + "/fork", request));
  const Json made = answer.value("branches", Json::array());
  if (made.size() == 1 && made.front().contains("branch") && made.front()["branch"] == name)
    return note_doubt(node, answer);
  if (made.size() == 1 && made.front().contains("error")) {
    const Json& problem = made.front()["error"];
    return wire::error_from_problem(problem.value("status", 500), problem.dump());
  }
  return fail(ErrorCode::kCorrupt, "malformed reply from the daemon to a fork",
              "check that client and daemon have the same version");
}

Status SessionClient::end_branch(const std::string& branch) const {
  auto ended = api_.remove(branch_path(branch));
  if (!ended && ended.error().code != ErrorCode::kNotFound) return std::move(ended).error();
  return Ok{};
}

Status SessionClient::write_file(const std::string& branch, const std::string& path,
                                 std::string bytes) const {
  SF_TRY(
      api_.put_bytes(branch_path(branch) + "/files" + query({{"path", path}}), std::move(bytes)));
  return Ok{};
}

Result<std::string> SessionClient::read_file(const std::string& branch,
                                             const std::string& path) const {
  return api_.get_bytes(branch_path(branch) + "/files" + query({{"path", path}}));
}

Status SessionClient::set_notes(const std::string& node, const Notes& notes) const {
  SF_TRY(api_.patch(path_ + "/nodes/" + path_part(node), {{"notes", notes}}));
  return Ok{};
}

Result<Json> SessionClient::tree() const { return api_.get(path_ + "/tree"); }

Result<Json> SessionClient::diff(const std::string& from, const std::string& to) const {
  return api_.get(path_ + "/diff" + query({{"from", from}, {"to", to}}));
}

}  // namespace sf::client
