// Task: an instruction, a system to work in, and tests. Loaded from a directory in the format of
// Terminal-Bench (task.yaml) or Harbor (task.toml).
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
  std::string context;     // the directory that COPY reads from
  std::string dockerfile;  // path on the host; empty: only `image`
  std::string image;       // if the task names one
  std::string workdir;     // empty: that of the Dockerfile
  std::map<std::string, std::string> env;
  std::uint64_t memory_bytes = 0;  // 0: no limit
  double cpus = 0;
  bool wants_network = false;
  seconds build_timeout{600};
  seconds agent_timeout{360};
  Oracle oracle;
  GradingPlan grading;
};

// kInvalidArgument: the message names the problem, the hint the expected files.
Result<Task> load_task(const std::string& directory);

// Pure. `text`: the content of task.yaml or task.toml.
Result<Task> task_from_yaml(const std::string& text);
Result<Task> task_from_toml(const std::string& text);
// Pure. The only container of a docker-compose.yaml. kUnsupported: it has several.
struct ComposeBuild {
  std::string context;     // empty: the file's own directory
  std::string dockerfile;  // below `context`; empty: Dockerfile
};
Result<ComposeBuild> build_from_compose(const std::string& text);
// Pure. Converts a time limit of a task file and clamps it to a range that clocks support.
milliseconds time_limit(double seconds);
// Pure. `text`: the content of a solution.yaml.
Result<std::vector<OracleCommand>> commands_from_yaml(const std::string& text);

}  // namespace sf::explore
