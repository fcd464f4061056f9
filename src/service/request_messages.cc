// Requests: from JSON to the control plane's structs.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "service/json_messages.h"
#include "wire/base64.h"
#include "wire/json_fields.h"

namespace sf::service {
namespace {

constexpr std::size_t kMaxLabels = 64;
constexpr std::size_t kMaxLabelKey = 128;
constexpr std::size_t kMaxLabelValue = 4096;
constexpr std::uint64_t kMaxForks = 256;
constexpr double kMaxCpus = 10'000;
constexpr std::uint64_t kMaxTimeoutMs = 366ULL * 24 * 3600 * 1000;

Status check_labels(const std::map<std::string, std::string>& labels) {
  if (labels.size() > kMaxLabels)
    return invalid("at most " + std::to_string(kMaxLabels) + " labels");
  for (const auto& [key, value] : labels) {
    if (key.empty() || key.size() > kMaxLabelKey || value.size() > kMaxLabelValue)
      return invalid("a label's key has 1 to " + std::to_string(kMaxLabelKey) +
                     " bytes, its value at most " + std::to_string(kMaxLabelValue));
  }
  return Ok{};
}

Result<control::OnDivergence> on_divergence_from(const std::string& word) {
  if (word == "fail") return control::OnDivergence::kFail;
  if (word == "accept") return control::OnDivergence::kAccept;
  return invalid("\"on_divergence\" is \"fail\" or \"accept\"");
}

}  // namespace

Result<CreateSession> create_session_from(const Json& body) {
  CreateSession request;
  double cpus = 0;
  wire::JsonFields fields(body);
  fields.read("name", request.name);
  fields.read("backend", request.backend);
  fields.read("policy", request.policy);
  fields.read("root", request.config.root);
  fields.read("user", request.config.user);
  fields.read("cwd", request.config.cwd);
  fields.read("env", request.config.env);
  fields.read("network", request.config.network);
  fields.read("memory_bytes", request.config.memory_bytes);
  fields.read("pids", request.config.max_pids);
  fields.read("cpus", cpus);
  fields.read("labels", request.labels);
  SF_TRY(fields.done());
  if (!(cpus >= 0 && cpus <= kMaxCpus)) return invalid("\"cpus\" is a number of processors");
  if (fields.has("cpus") && cpus < 0.01) return invalid("\"cpus\" must be 0.01 or more");
  request.config.cpu_percent = static_cast<std::uint32_t>(std::lround(cpus * 100));
  SF_TRY(check_labels(request.labels));
  return request;
}

Result<control::ExecRequest> exec_request_from(const Json& body) {
  control::ExecRequest request;
  std::string encoded;
  auto timeout_ms = static_cast<std::uint64_t>(request.timeout.count());
  wire::JsonFields fields(body);
  fields.read("command", request.command);
  fields.read("command_base64", encoded);
  fields.read("timeout_ms", timeout_ms);
  fields.read("max_output", request.max_output);
  fields.read("raw", request.raw);
  if (!fields.has("command_base64")) fields.require("command");
  SF_TRY(fields.done());
  if (fields.has("command_base64")) {
    if (fields.has("command")) return invalid("\"command\" or \"command_base64\", not both");
    auto decoded = wire::from_base64(encoded);
    if (!decoded) return std::move(decoded).error().while_doing("\"command_base64\"");
    request.command = std::move(*decoded);
  }
  if (timeout_ms > kMaxTimeoutMs) return invalid("\"timeout_ms\" is more than a year", "0: none");
  if (request.max_output > kMaxOutput)
    return invalid("\"max_output\" is more than " + std::to_string(kMaxOutput),
                   "write the output to a file in the session");
  request.timeout = milliseconds(timeout_ms);
  return request;
}

Result<control::SnapshotRequest> snapshot_request_from(const Json& body) {
  control::SnapshotRequest request;
  std::string wanted;
  wire::JsonFields fields(body);
  fields.read("name", request.name);
  fields.read("materialization", wanted);
  fields.read("notes", request.notes);
  SF_TRY(fields.done());
  if (wanted == "physical") {
    request.wanted = control::Materialization::kPhysical;
  } else if (wanted == "virtual") {
    request.wanted = control::Materialization::kVirtual;
  } else if (!wanted.empty()) {
    return invalid("\"materialization\" is \"physical\" or \"virtual\"",
                   "leave it out and the policy decides");
  }
  return request;
}

Result<RestoreCall> restore_call_from(const Json& body) {
  RestoreCall call;
  std::string on_divergence = "fail";
  wire::JsonFields fields(body);
  fields.read("node", call.node);
  fields.read("on_divergence", on_divergence);
  fields.require("node");
  SF_TRY(fields.done());
  SF_TRY_ASSIGN(call.on_divergence, on_divergence_from(on_divergence));
  return call;
}

Result<ForkCall> fork_call_from(const Json& body) {
  ForkCall call;
  std::uint64_t count = 0;
  std::string on_divergence = "fail";
  std::vector<std::string> names;
  wire::JsonFields fields(body);
  fields.read("node", call.node);
  fields.read("count", count);
  fields.read("names", names);
  fields.read("on_divergence", on_divergence);
  SF_TRY(fields.done());
  if (!fields.has("count")) count = names.empty() ? 1 : names.size();
  if (count < 1 || count > kMaxForks || names.size() > count)
    return invalid("\"count\" is 1 to " + std::to_string(kMaxForks) +
                   ", and not less than the names");
  call.request.count = count;
  for (std::string& name : names) call.request.names.emplace_back(std::move(name));
  SF_TRY_ASSIGN(call.request.on_divergence, on_divergence_from(on_divergence));
  return call;
}

Result<CleanupCall> cleanup_call_from(const Json& body) {
  CleanupCall call;
  bool force = false;
  wire::JsonFields fields(body);
  fields.read("node", call.node);
  fields.read("branch", call.branch);
  fields.read("force", force);
  fields.require("node");
  SF_TRY(fields.done());
  call.force = force ? control::Force::kYes : control::Force::kNo;
  return call;
}

}  // namespace sf::service
