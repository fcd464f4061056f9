// task.yaml and solution.yaml, the formats of Terminal-Bench.
#include <yaml-cpp/yaml.h>

#include "explore/tasks/task.h"

namespace sf::explore {
namespace {

milliseconds time_of(const YAML::Node& node, double otherwise) {
  return time_limit(node.IsDefined() ? node.as<double>() : otherwise);
}

}  // namespace

Result<Task> task_from_yaml(const std::string& text) {
  constexpr double kAgentSeconds = 360;
  constexpr double kTestSeconds = 60;
  try {
    const YAML::Node yaml = YAML::Load(text);
    Task task;
    if (!yaml.IsMap() || !yaml["instruction"])
      return invalid("\"instruction\" is missing", "describe the agent's task");
    task.instruction = yaml["instruction"].as<std::string>();
    task.agent_timeout =
        std::chrono::ceil<seconds>(time_of(yaml["max_agent_timeout_sec"], kAgentSeconds));
    task.grading.timeout = time_of(yaml["max_test_timeout_sec"], kTestSeconds);
    task.grading.in_shell = yaml["run_tests_in_same_shell"].as<bool>(false);
    task.wants_network = true;
    return task;
  } catch (const YAML::Exception& e) {
    return invalid(std::string("malformed YAML: ") + e.what());
  }
}

Result<ComposeBuild> build_from_compose(const std::string& text) {
  try {
    const YAML::Node services = YAML::Load(text)["services"];
    if (!services || !services.IsMap() || services.size() == 0)
      return invalid("docker-compose.yaml has no services");
    if (services.size() > 1)
      return fail(ErrorCode::kUnsupported,
                  "the task has " + std::to_string(services.size()) + " containers",
                  "only tasks with a single container are supported");
    const YAML::Node build = services.begin()->second["build"];
    if (!build) return ComposeBuild{};
    if (build.IsScalar()) return ComposeBuild{build.as<std::string>(), ""};
    return ComposeBuild{build["context"].as<std::string>(""),
                        build["dockerfile"].as<std::string>("")};
  } catch (const YAML::Exception& e) {
    return invalid(std::string("malformed docker-compose.yaml: ") + e.what());
  }
}

Result<std::vector<OracleCommand>> commands_from_yaml(const std::string& text) {
  try {
    std::vector<OracleCommand> commands;
    for (const YAML::Node& entry : YAML::Load(text)) {
      OracleCommand command{.text = entry["command"].as<std::string>()};
      command.waits_for_end = entry["block"].as<bool>(command.waits_for_end);
      command.ends_with_enter = entry["append_enter"].as<bool>(command.ends_with_enter);
      command.least_seconds = entry["min_timeout_sec"].as<double>(command.least_seconds);
      command.most_seconds = entry["max_timeout_sec"].as<double>(command.most_seconds);
      commands.push_back(std::move(command));
    }
    return commands;
  } catch (const YAML::Exception& e) {
    return invalid(std::string("solution.yaml is not a list of commands: ") + e.what());
  }
}

}  // namespace sf::explore
