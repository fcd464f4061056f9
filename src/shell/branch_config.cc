#include "shell/branch_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/id.h"
#include "shell/capabilities.h"
#include "wire/checked_int.h"

namespace sf::waypoint {
namespace {

using wire::bytes_to_text;
using wire::checked_int;
using wire::Json;
using wire::text_to_bytes;

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

bool is_hostname(const std::string& name) {
  if (name.empty() || name.size() > 64) return false;
  return std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; });
}

bool is_variable_name(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

constexpr std::uint64_t kLeastMemory = 16U << 20U;
constexpr std::uint64_t kLeastPids = 8;

}  // namespace

std::optional<EngineChoice> engine_choice_from(std::string_view name) {
  for (EngineChoice choice : {EngineChoice::kAuto, EngineChoice::kNative, EngineChoice::kCriu})
    if (to_string(choice) == name) return choice;
  return std::nullopt;
}

std::string_view to_string(EngineChoice choice) {
  if (choice == EngineChoice::kAuto) return "auto";
  return choice == EngineChoice::kNative ? kNativeName : kCriuName;
}

Status check_config(const BranchConfig& config) {
  if (config.root.empty() || config.root[0] != '/' || has_nul(config.root))
    return invalid("root must be an absolute path, got \"" + config.root + "\"");
  if (config.cwd.empty() || config.cwd[0] != '/' || has_nul(config.cwd))
    return invalid("cwd must be an absolute path inside the root, got \"" + config.cwd + "\"");
  if (config.user.empty() || has_nul(config.user)) return invalid("user must be a name or a uid");
  if (!is_hostname(config.hostname))
    return invalid("invalid hostname \"" + config.hostname + "\"",
                   "use letters, digits, dots and dashes, at most 64 characters");
  for (const auto& [name, value] : config.env) {
    if (!is_variable_name(name))
      return invalid("\"" + name + "\" is not a valid name of an environment variable");
    if (has_nul(value)) return invalid("the value of " + name + " contains a NUL byte");
  }
  if (config.window.rows < 1 || config.window.cols < 2 || config.window.rows > 500 ||
      config.window.cols > 1000)
    return invalid("the window must have 1 to 500 rows and 2 to 1000 columns");
  if (config.limits.memory_bytes && *config.limits.memory_bytes < kLeastMemory)
    return invalid("the memory limit must be at least 16 MiB, or the shell cannot run");
  if (config.limits.pids && *config.limits.pids < kLeastPids)
    return invalid("the pids limit must be at least 8, or the shell cannot run");
  if (config.limits.cpus && !(*config.limits.cpus >= 0.01 && *config.limits.cpus <= 1024))
    return invalid("the cpu limit must be between 0.01 and 1024");
  if (!config.label.empty() && !is_valid_id(config.label))
    return invalid("invalid label \"" + config.label + "\"",
                   "use lower-case letters, digits and dashes, at most 64 characters");
  auto capabilities = with_capabilities(0, config.extra_capabilities);
  if (!capabilities) return std::move(capabilities).error();
  return Ok{};
}

std::vector<std::string> shell_environment(const BranchConfig& config, const std::string& user_name,
                                           const std::string& home) {
  std::map<std::string, std::string> env = {
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
      {"HOME", home},
      {"USER", user_name},
      {"LOGNAME", user_name},
      {"SHELL", "/bin/bash"},
      {"LANG", "C.UTF-8"},
      {"TERM", "xterm-256color"},
      // A pager would wait for a key until the command times out.
      {"PAGER", "cat"},
      {"GIT_PAGER", "cat"},
      {"SYSTEMD_PAGER", "cat"},
  };
  for (const auto& [name, value] : config.env) env[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : env) entries.push_back(name + "=" + value);
  return entries;
}

Json to_json(const BranchConfig& c) {
  Json env = Json::object();
  for (const auto& [name, value] : c.env) env[name] = bytes_to_text(value);
  Json json = {
      {"root", bytes_to_text(c.root)}, {"user", bytes_to_text(c.user)},
      {"cwd", bytes_to_text(c.cwd)},   {"hostname", c.hostname},
      {"env", std::move(env)},         {"rows", c.window.rows},
      {"cols", c.window.cols},         {"network", c.network == Network::kHost ? "host" : "none"},
      {"engine", to_string(c.engine)}, {"extra_capabilities", c.extra_capabilities}};
  if (!c.label.empty()) json["label"] = c.label;
  if (c.limits.memory_bytes) json["memory_bytes"] = *c.limits.memory_bytes;
  if (c.limits.pids) json["pids"] = *c.limits.pids;
  if (c.limits.cpus) json["cpus"] = *c.limits.cpus;
  if (c.rlimits) json["rlimits"] = c.rlimits->text();
  return json;
}

Result<BranchConfig> branch_config_from_json(const Json& json) {
  try {
    BranchConfig c;
    c.root = text_to_bytes(json.at("root").get<std::string>());
    c.user = text_to_bytes(json.at("user").get<std::string>());
    c.cwd = text_to_bytes(json.at("cwd").get<std::string>());
    c.hostname = json.at("hostname").get<std::string>();
    for (const auto& [name, value] : json.at("env").get<std::map<std::string, std::string>>())
      c.env[name] = text_to_bytes(value);
    auto rows = checked_int<long long>(json, "rows");
    auto cols = checked_int<long long>(json, "cols");
    if (rows < 0 || cols < 0 || rows > 65535 || cols > 65535)
      return fail(ErrorCode::kCorrupt, "branch configuration: rows or cols out of range");
    c.window = {static_cast<std::uint16_t>(rows), static_cast<std::uint16_t>(cols)};
    auto network = json.at("network").get<std::string>();
    if (network != "host" && network != "none")
      return fail(ErrorCode::kCorrupt, "branch configuration: unknown network " + network);
    c.network = network == "host" ? Network::kHost : Network::kNone;
    if (json.contains("engine")) {  // older records have none
      auto engine = engine_choice_from(json["engine"].get<std::string>());
      if (!engine) return fail(ErrorCode::kCorrupt, "branch configuration: unknown engine");
      c.engine = *engine;
    }
    c.extra_capabilities = json.at("extra_capabilities").get<std::vector<std::string>>();
    if (json.contains("label")) c.label = json["label"].get<std::string>();
    if (json.contains("memory_bytes"))
      c.limits.memory_bytes = checked_int<std::uint64_t>(json, "memory_bytes");
    if (json.contains("pids")) c.limits.pids = checked_int<std::uint64_t>(json, "pids");
    if (json.contains("cpus")) c.limits.cpus = json["cpus"].get<double>();
    if (json.contains("rlimits")) {
      c.rlimits = os::ResourceLimits::parse(json["rlimits"].get<std::string>());
      if (!c.rlimits) return fail(ErrorCode::kCorrupt, "branch configuration: malformed rlimits");
    }
    return c;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("branch configuration: ") + e.what());
  }
}

}  // namespace sf::waypoint
