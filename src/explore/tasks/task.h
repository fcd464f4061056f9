// Task: what an agent is asked to do, where, and how it is judged; loaded from a directory as
// Terminal-Bench (task.yaml) and Harbor (task.toml) have them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "explore/tasks/grading.h"
#include "explore/tasks/oracle.h"

namespace sf::explore {

struct Task {
  std::string name;
  std::string directory;
  std::string instruction;
  std::string context;     // the directory that COPY takes from
  std::string dockerfile;  // a file of the host; empty: `image` alone
  std::string image;       // where the task names one
  std::string workdir;     // empty: the Dockerfile's
  std::map<std::string, std::string> env;
  std::uint64_t memory_bytes = 0;  // 0: no limit
  double cpus = 0;
  bool wants_network = false;
  seconds build_timeout{600};
  seconds agent_timeout{360};
  Oracle oracle;
  GradingPlan grading;
};

// kInvalidArgument: what is wrong with the directory, and what it should have.
Result<Task> load_task(const std::string& directory);

// Pure, for a directory of that kind; `text` is its task.yaml or task.toml.
Result<Task> task_from_yaml(const std::string& text);
Result<Task> task_from_toml(const std::string& text);
// Pure: the one container of a docker-compose.yaml. kUnsupported: there are several.
struct ComposeBuild {
  std::string context;     // empty: the file's own directory
  std::string dockerfile;  // below it; empty: Dockerfile
};
Result<ComposeBuild> build_from_compose(const std::string& text);
// Pure: seconds as such a file may have them, within what a clock can wait for.
milliseconds time_limit(double seconds);
// Pure: of a solution.yaml.
Result<std::vector<OracleCommand>> commands_from_yaml(const std::string& text);

}  // namespace sf::explore
