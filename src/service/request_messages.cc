// Requests: from JSON to the control plane's structs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "service/json_messages.h"
#include "wire/base64.h"
#include "wire/input_message.h"
#include "wire/json_fields.h"

namespace sf::service {
namespace {

constexpr std::size_t kMaxLabels = 64;
constexpr std::size_t kMaxLabelKey = 128;
constexpr std::size_t kMaxLabelValue = 4096;
constexpr double kMaxCpus = 10'000;
constexpr std::uint64_t kMaxLifeSeconds = 10ULL * 366 * 24 * 3600;

Status check_labels(const std::map<std::string, std::string>& labels) {
  if (labels.size() > kMaxLabels)
    return invalid("a session can have at most " + std::to_string(kMaxLabels) + " labels");
  for (const auto& [key, value] : labels) {
    if (key.empty() || key.size() > kMaxLabelKey || value.size() > kMaxLabelValue)
      return invalid("a label's key must have 1 to " + std::to_string(kMaxLabelKey) +
                     " bytes, its value at most " + std::to_string(kMaxLabelValue));
  }
  return Ok{};
}

Result<control::SessionTerms> terms_from(wire::JsonFields& fields) {
  control::SessionTerms terms;
  std::uint64_t ttl = 0;
  std::uint64_t idle = 0;
  fields.read("ttl_s", ttl);
  fields.read("idle_s", idle);
  fields.read("max_bytes", terms.max_bytes);
  fields.read("max_branches", terms.max_branches);
  if (std::max(ttl, idle) > kMaxLifeSeconds)
    return invalid("\"ttl_s\" and \"idle_s\" must be at most " + std::to_string(kMaxLifeSeconds),
                   "use 0 for no limit");
  terms.ttl = seconds(ttl);
  terms.idle = seconds(idle);
  return terms;
}

enum class Need { kRequired, kOptional };

// Reads `KEY`, or `KEY_base64` if the bytes are not UTF-8. Must be the last field that is read.
Result<std::string> bytes_from(wire::JsonFields& fields, const std::string& key,
                               Need need = Need::kRequired) {
  std::string text;
  std::string encoded;
  fields.read(key, text);
  fields.read(key + "_base64", encoded);
  bool is_encoded = fields.has(key + "_base64");
  if (!is_encoded && need == Need::kRequired) fields.require(key);
  SF_TRY(fields.done());
  if (!is_encoded) return text;
  if (fields.has(key)) return invalid("use \"" + key + "\" or \"" + key + "_base64\", not both");
  auto decoded = wire::from_base64(encoded);
  if (!decoded) return std::move(decoded).error().while_doing("\"" + key + "_base64\"");
  return decoded;
}

Status check_bounds(std::uint64_t timeout_ms, std::size_t max_output) {
  if (timeout_ms > static_cast<std::uint64_t>(kMaxTimeout.count()))
    return invalid("\"timeout_ms\" is more than a year", "use 0 for no time limit");
  if (max_output > kMaxOutput)
    return invalid("\"max_output\" is more than " + std::to_string(kMaxOutput),
                   "write the output to a file in the session");
  return Ok{};
}

Result<control::OnDivergence> on_divergence_from(const std::string& word) {
  if (word == "fail") return control::OnDivergence::kFail;
  if (word == "accept") return control::OnDivergence::kAccept;
  return invalid("\"on_divergence\" must be \"fail\" or \"accept\"");
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
  if (fields.has("engine")) fields.read("engine", request.config.extra["engine"]);
  fields.read("memory_bytes", request.config.memory_bytes);
  fields.read("pids", request.config.max_pids);
  fields.read("cpus", cpus);
  fields.read("labels", request.labels);
  SF_TRY_ASSIGN(request.terms, terms_from(fields));
  SF_TRY(fields.done());
  if (!(cpus >= 0 && cpus <= kMaxCpus)) return invalid("\"cpus\" must be a number of processors");
  if (fields.has("cpus") && cpus < 0.01) return invalid("\"cpus\" must be 0.01 or more");
  request.config.cpu_percent = static_cast<std::uint32_t>(std::lround(cpus * 100));
  SF_TRY(check_labels(request.labels));
  return request;
}

Result<ExecRequest> exec_request_from(const Json& body) {
  ExecRequest request;
  auto timeout_ms = static_cast<std::uint64_t>(request.timeout.count());
  wire::JsonFields fields(body);
  fields.read("timeout_ms", timeout_ms);
  fields.read("max_output", request.max_output);
  fields.read("raw", request.raw);
  SF_TRY_ASSIGN(request.command, bytes_from(fields, "command"));
  SF_TRY(check_bounds(timeout_ms, request.max_output));
  request.timeout = milliseconds(timeout_ms);
  return request;
}

Result<SideRequest> side_request_from(const Json& body) {
  SideRequest request;
  auto timeout_ms = static_cast<std::uint64_t>(request.timeout.count());
  wire::JsonFields fields(body);
  fields.read("argv", request.argv);
  fields.read("env", request.env);
  fields.read("cwd", request.cwd);
  fields.read("user", request.user);
  fields.read("timeout_ms", timeout_ms);
  fields.read("max_output", request.max_output);
  fields.require("argv");
  SF_TRY_ASSIGN(request.input, bytes_from(fields, "input", Need::kOptional));
  SF_TRY(check_bounds(timeout_ms, request.max_output));
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
    return invalid("\"materialization\" must be \"physical\" or \"virtual\"",
                   "omit it to let the policy decide");
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
    return invalid("\"count\" must be 1 to " + std::to_string(kMaxForks) +
                   ", and at least the number of names");
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

Result<WindowSize> window_size_from(const Json& body) {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  wire::JsonFields fields(body);
  fields.read("rows", rows);
  fields.read("cols", cols);
  fields.require("rows");
  fields.require("cols");
  SF_TRY(fields.done());
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint16_t>::max();
  if (rows > kMost || cols > kMost) return invalid("\"rows\" and \"cols\" must be at most 65535");
  return WindowSize{static_cast<std::uint16_t>(rows), static_cast<std::uint16_t>(cols)};
}

Result<InputEvents> input_from(const Json& body) {
  if (body.is_object() && body.contains("input")) {
    if (body.size() > 1)
      return invalid("\"input\" allows no other field", "put text in it: {\"text\": ...}");
    return wire::input_from_json(body["input"]);
  }
  wire::JsonFields fields(body);
  SF_TRY_ASSIGN(std::string keys, bytes_from(fields, "keys"));
  return InputEvents{{InputEvent::Kind::kText, std::move(keys), {}}};
}

Result<NodeChange> node_change_from(const Json& body) {
  NodeChange change;
  std::string name;
  wire::JsonFields fields(body);
  fields.read("name", name);
  fields.read("notes", change.notes);
  SF_TRY(fields.done());
  if (fields.has("name")) change.name = name;
  return change;
}

Result<std::string> session_change_from(const Json& body) {
  std::string name;
  wire::JsonFields fields(body);
  fields.read("name", name);
  fields.require("name");
  SF_TRY(fields.done());
  return name;
}

}  // namespace sf::service
