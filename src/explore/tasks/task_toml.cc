// task.toml, the format of Harbor.
#include <toml++/toml.h>

#include <algorithm>

#include "explore/tasks/task.h"

namespace sf::explore {
namespace {

milliseconds time_of(const toml::node_view<const toml::node>& node, double otherwise) {
  return time_limit(node.value_or(otherwise));
}

std::map<std::string, std::string> variables_of(const toml::node_view<const toml::node>& node) {
  std::map<std::string, std::string> variables;
  const toml::table* table = node.as_table();
  if (table == nullptr) return variables;
  for (const auto& [key, value] : *table) {
    if (auto text = value.value<std::string>()) variables[std::string(key.str())] = *text;
  }
  return variables;
}

Status check_supported(const toml::node_view<const toml::node>& environment) {
  if (environment["gpus"].value_or(0) > 0)
    return fail(ErrorCode::kUnsupported, "the task needs GPUs", "their state cannot be captured");
  const auto os = environment["os"].value_or<std::string>("linux");
  if (os != "linux") return fail(ErrorCode::kUnsupported, "the task needs " + os);
  return Ok{};
}

}  // namespace

Result<Task> task_from_toml(const std::string& text) {
  constexpr double kSeconds = 600;
  try {
    const toml::table toml = toml::parse(text);
    const auto environment = toml["environment"];
    SF_TRY(check_supported(environment));
    Task task;
    task.image = environment["docker_image"].value_or<std::string>("");
    task.workdir = environment["workdir"].value_or<std::string>("");
    task.env = variables_of(environment["env"]);
    constexpr std::int64_t kMostMemory = 1 << 30;  // in MiB
    const std::int64_t memory = environment["memory_mb"].value_or(std::int64_t{0});
    task.memory_bytes = static_cast<std::uint64_t>(std::clamp<std::int64_t>(memory, 0, kMostMemory))
                        << 20U;
    task.cpus = std::max(environment["cpus"].value_or(0.0), 0.0);
    task.wants_network =
        environment["network_mode"].value_or<std::string>("public") != "no-network" &&
        environment["allow_internet"].value_or(true);
    task.build_timeout =
        std::chrono::ceil<seconds>(time_of(environment["build_timeout_sec"], kSeconds));
    task.agent_timeout =
        std::chrono::ceil<seconds>(time_of(toml["agent"]["timeout_sec"], kSeconds));
    task.grading.timeout = time_of(toml["verifier"]["timeout_sec"], kSeconds);
    task.grading.env = variables_of(toml["verifier"]["env"]);
    task.oracle.env = variables_of(toml["solution"]["env"]);
    task.grading.user = toml["verifier"]["user"].value_or<std::string>("");
    return task;
  } catch (const toml::parse_error& e) {
    return invalid(std::string("malformed TOML: ") + std::string(e.description()));
  }
}

}  // namespace sf::explore
