#include "explore/tasks/task.h"

#include <algorithm>

#include "os/file.h"

namespace sf::explore {
namespace {

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The container's build settings from docker-compose.yaml. Parts that contain variables get their
// default.
Result<ComposeBuild> compose_build(const std::string& directory) {
  const std::string path = directory + "/docker-compose.yaml";
  if (!os::exists(path)) return ComposeBuild{};
  SF_TRY_ASSIGN(std::string text, os::read_file(path));
  auto build = build_from_compose(text);
  if (!build) return std::move(build).error().while_doing(path);
  for (std::string* part : {&build->context, &build->dockerfile}) {
    if (part->find('$') != std::string::npos) part->clear();
    if (*part == ".") part->clear();
  }
  return build;
}

Result<Task> load_terminal_bench(const std::string& directory) {
  SF_TRY_ASSIGN(std::string text, os::read_file(directory + "/task.yaml"));
  auto task = task_from_yaml(text);
  if (!task) return std::move(task).error().while_doing(directory + "/task.yaml");
  SF_TRY_ASSIGN(ComposeBuild build, compose_build(directory));
  task->context = build.context.empty() ? directory : directory + "/" + build.context;
  task->dockerfile =
      task->context + "/" + (build.dockerfile.empty() ? "Dockerfile" : build.dockerfile);
  if (!os::exists(task->dockerfile))
    return invalid(task->dockerfile + " does not exist", "a task needs a Dockerfile");
  if (os::exists(directory + "/solution.sh")) {
    task->oracle.files = {{directory + "/solution.sh", "/oracle/solution.sh"}};
    task->oracle.script = "/oracle/solution.sh";
  } else if (os::exists(directory + "/solution.yaml")) {
    SF_TRY_ASSIGN(std::string solution, os::read_file(directory + "/solution.yaml"));
    SF_TRY_ASSIGN(task->oracle.commands, commands_from_yaml(solution));
  }
  GradingPlan& grading = task->grading;
  if (os::exists(directory + "/run-tests.sh")) {
    if (os::exists(directory + "/tests"))
      grading.uploads.push_back({directory + "/tests", "/tests"});
    grading.uploads.push_back({directory + "/run-tests.sh", "/tests/run-tests.sh"});
    grading.argv = {"bash", "/tests/run-tests.sh"};
    grading.env["TEST_DIR"] = "/tests";
  }
  return task;
}

Result<Task> load_harbor(const std::string& directory) {
  SF_TRY_ASSIGN(std::string text, os::read_file(directory + "/task.toml"));
  auto task = task_from_toml(text);
  if (!task) return std::move(task).error().while_doing(directory + "/task.toml");
  if (os::exists(directory + "/steps"))
    return fail(ErrorCode::kUnsupported, directory + " is a task with several steps",
                "add a task.toml to the directory of a single step and use that one");
  SF_TRY_ASSIGN(task->instruction, os::read_file(directory + "/instruction.md"));
  SF_TRY(compose_build(directory + "/environment"));
  if (os::exists(directory + "/environment/Dockerfile"))
    task->dockerfile = directory + "/environment/Dockerfile";
  task->context = directory + "/environment";
  if (task->dockerfile.empty() && task->image.empty())
    return invalid(directory + " has neither environment/Dockerfile nor a docker_image",
                   "add one of the two");
  if (os::exists(directory + "/solution/solve.sh")) {
    task->oracle.files = {{directory + "/solution", "/solution"}};
    task->oracle.script = "/solution/solve.sh";
  }
  SF_TRY_ASSIGN(task->env, with_host_variables(std::move(task->env), host_variable));
  GradingPlan& grading = task->grading;
  if (os::exists(directory + "/tests/test.sh")) {
    grading.uploads.push_back({directory + "/tests", "/tests"});
    grading.make_directories = {"/logs/agent", "/logs/verifier", "/logs/artifacts"};
    grading.argv = {"bash", "/tests/test.sh"};
    grading.verdict = Verdict::kRewardFile;
    SF_TRY_ASSIGN(grading.env, with_host_variables(std::move(grading.env), host_variable));
  }
  return task;
}

}  // namespace

milliseconds time_limit(double seconds) {
  constexpr double kMost = 1e7;
  const double wanted = seconds > 0 ? std::min(seconds, kMost) : 0.001;  // also for NaN
  return milliseconds(std::max(1LL, static_cast<long long>(wanted * 1000)));
}

Result<Task> load_task(const std::string& given) {
  SF_TRY_ASSIGN(std::string directory, os::real_path(given));
  const bool is_terminal_bench = os::exists(directory + "/task.yaml");
  if (!is_terminal_bench && !os::exists(directory + "/task.toml"))
    return invalid(given + " is not a task: it has neither task.yaml nor task.toml",
                   "use the directory of a Terminal-Bench or Harbor task");
  SF_TRY_ASSIGN(Task task,
                is_terminal_bench ? load_terminal_bench(directory) : load_harbor(directory));
  task.directory = directory;
  task.name = base_name(directory);
  return task;
}

}  // namespace sf::explore
