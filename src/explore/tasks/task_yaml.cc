// task.yaml and solution.yaml, as Terminal-Bench writes them.
#include <yaml-cpp/yaml.h>

#include "explore/tasks/task.h"

namespace sf::explore {
namespace {

milliseconds time_of(const YAML::Node& node, double otherwise) {
  const double wanted = node.IsDefined() ? node.as<double>() : otherwise;
  return milliseconds(static_cast<long long>(wanted * 1000));
}

}  // namespace

Result<Task> task_from_yaml(const std::string& text) {
  constexpr double kAgentSeconds = 360;
  constexpr double kTestSeconds = 60;
  try {
    const YAML::Node yaml = YAML::Load(text);
    Task task;
    if (!yaml.IsMap() || !yaml["instruction"])
      return invalid("it has no \"instruction\"", "what shall the agent do?");
    task.instruction = yaml["instruction"].as<std::string>();
    task.agent_timeout =
        std::chrono::ceil<seconds>(time_of(yaml["max_agent_timeout_sec"], kAgentSeconds));
    task.grading.timeout = time_of(yaml["max_test_timeout_sec"], kTestSeconds);
    task.wants_network = true;
    return task;
  } catch (const YAML::Exception& e) {
    return invalid(std::string("it is no YAML that makes sense: ") + e.what());
  }
}

Result<std::vector<std::string>> commands_from_yaml(const std::string& text) {
  try {
    std::vector<std::string> commands;
    for (const YAML::Node& entry : YAML::Load(text))
      commands.push_back(entry["command"].as<std::string>());
    return commands;
  } catch (const YAML::Exception& e) {
    return invalid(std::string("solution.yaml is no list of commands: ") + e.what());
  }
}

}  // namespace sf::explore
