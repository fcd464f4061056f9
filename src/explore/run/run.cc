#include "explore/run/run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "client/session_client.h"
#include "explore/journal.h"
#include "explore/run/report.h"
#include "explore/session_world.h"
#include "os/file.h"

namespace sf::explore {

using client::ApiClient;
using client::SessionClient;
using wire::Json;

namespace {

// The time limit of all comparisons is a tenth of the search's time, within these bounds, so that
// the report does not delay the end of the run.
constexpr auto kLeastDiffTime = seconds(2);
constexpr auto kMostDiffTime = seconds(20);
constexpr std::size_t kMaxDiffEntries = 200;

Result<std::string> image_of(const Task& task) {
  if (task.dockerfile.empty()) return task.image;
  SF_TRY_ASSIGN(std::string text, os::read_file(task.dockerfile));
  auto instructions = parse_dockerfile(text);
  if (!instructions) return std::move(instructions).error().while_doing(task.dockerfile);
  return base_image(*instructions);
}

// The default is 120 s, or the agent's time limit in the task if that is shorter. The task's own
// solution may use the whole time limit of the agent.
seconds command_limit(const RunPlan& plan, const Task& task) {
  constexpr seconds kUsual{120};
  if (plan.command_timeout) return *plan.command_timeout;
  return plan.agent.kind == "oracle" ? task.agent_timeout : std::min(kUsual, task.agent_timeout);
}

// The time that earlier parts of this run have used.
microseconds spent(const SearchTree& tree) {
  microseconds end{0};
  for (const SearchNode& node : tree.nodes()) end = std::max(end, node.began + node.took);
  return end;
}

Status build(const ApiClient& api, RunDirectory& directory, RunPlan& plan, const Task& task,
             const OraclePlan& solution, const RootFinder& root_of, const RunEvents& events) {
  SF_TRY_ASSIGN(std::string image, image_of(task));
  SF_TRY_ASSIGN(RootDirectory root, root_of(image));
  const BuildSettings settings{.root = root.path,
                               .defaults = root.defaults,
                               .backend = plan.backend,
                               .policy = plan.materialization,
                               .engine = plan.engine,
                               .network = plan.network,
                               .brings = solution.files,
                               .brings_check = solution.check};
  auto built = build_task(api, task, settings, plan.id + "-build",
                          {.on_step = events.on_build, .stopping = events.stopping});
  if (!built) {
    if (events.stopping()) return std::move(built).error().while_doing("building " + task.name);
    Error error = std::move(built).error().while_doing("building " + task.name);
    const bool has_no_network = task.wants_network && plan.network == "none";
    return has_no_network ? std::move(error).with_hint("if it needs the network: --network host")
                          : error;
  }
  plan.session = built->session;
  plan.state = built->node;
  plan.workdir = built->workdir;
  return directory.save_plan(plan);
}

Json file_difference(const Json& each) {
  const std::string subject = each.value("subject", "");
  const std::string name = each.value("name", "");
  Json entry = {{"path", subject == "file" ? name : subject + " " + name},
                {"kind", each.value("kind", "changed")}};
  if (each.contains("patch") && each["patch"].is_string()) entry["patch"] = each["patch"];
  return entry;
}

// Compares the winning path first, because the time limit may cut off the rest.
NodeDiffs compare_states(const SessionClient& session, const SearchTree& tree, NodeIndex best,
                         microseconds search_time) {
  std::vector<NodeIndex> order = tree.path(best);
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    if (std::ranges::find(order, index) == order.end()) order.push_back(index);
  }
  const Deadline deadline =
      Deadline::after(std::clamp<microseconds>(search_time / 10, kLeastDiffTime, kMostDiffTime));
  NodeDiffs diffs;
  for (NodeIndex index : order) {
    const SearchNode& node = tree.at(index);
    const std::string& before = tree.at(*node.parent).state;
    if (deadline.passed()) break;
    if (node.state.empty() || before.empty() || node.state == before) continue;
    auto found = session.diff(before, node.state);
    if (!found && found.error().code == ErrorCode::kUnsupported) break;
    if (!found) continue;
    Json entries = Json::array();
    for (const Json& each : found->value("differences", Json::array())) {
      if (entries.size() == kMaxDiffEntries) break;
      entries.push_back(file_difference(each));
    }
    diffs[index] = std::move(entries);
  }
  return diffs;
}

std::uint64_t bytes_of(const SessionClient& session, const SearchTree& tree) {
  auto found = session.tree();
  if (!found) return 0;
  std::map<std::string, std::uint64_t> bytes;
  for (const Json& node : found->value("nodes", Json::array()))
    bytes[node.value("id", "")] = node.value("bytes", std::uint64_t{0});
  std::set<std::string> states;  // an empty action keeps its parent's state
  for (NodeIndex index = 1; index < tree.size(); ++index) states.insert(tree.at(index).state);
  states.erase(tree.at(kRoot).state);
  std::uint64_t sum = 0;
  for (const std::string& state : states) sum += bytes[state];
  return sum;
}

Status write_evidence(RunDirectory& directory, const FinishedRun& run,
                      const std::string& instruction, const NodeDiffs& diffs) {
  const Json document = tree_document(run.plan, instruction, run.tree, run.summary, diffs);
  SF_TRY(directory.save("tree.json",
                        document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  SF_TRY(directory.save("trajectories.jsonl", trajectories(run.plan, instruction, run.tree)));
  SF_TRY(directory.save("sft.jsonl", conversations(instruction, run.tree)));
  SF_TRY(directory.save("preferences.jsonl", preferences(instruction, run.tree)));
  return directory.save("report.html", report_page(document));
}

}  // namespace

Result<FinishedRun> carry_out(const ApiClient& api, RunDirectory& directory, RunPlan plan,
                              const RootFinder& root_of, const RunEvents& events) {
  SF_TRY_ASSIGN(Task task, load_task(plan.task_directory));
  SF_TRY_ASSIGN(std::unique_ptr<SearchPolicy> policy, make_policy(plan.policy, plan.options));
  OraclePlan solution;
  if (plan.agent.kind == "oracle") {
    SF_TRY_ASSIGN(task.oracle.env, with_host_variables(task.oracle.env, host_variable));
    SF_TRY_ASSIGN(solution, plan_oracle(task.oracle));
  }
  SF_TRY_ASSIGN(std::unique_ptr<Agent> agent,
                make_agent(plan.agent, solution.command, directory.file("agent.log")));
  SF_TRY(directory.save_plan(plan));
  if (plan.session.empty()) SF_TRY(build(api, directory, plan, task, solution, root_of, events));

  const SessionClient session(api, plan.session);
  SF_TRY_ASSIGN(std::optional<SearchTree> before, directory.tree());
  SearchTree tree = before ? std::move(*before) : SearchTree(plan.state);
  if (tree.size() == 1 && !before) SF_TRY(directory.append(root_line(plan.state)));
  task.grading.cwd = plan.workdir;
  SessionWorld world(session, task.grading,
                     {.run = plan.id,
                      .most_branches = std::max<std::size_t>(plan.jobs, 1),
                      .command_timeout = command_limit(plan, task)});
  SF_TRY(world.take_over());
  const ExploreOptions options{.instruction = task.instruction,
                               .budget = plan.budget,
                               .jobs = plan.jobs,
                               .spent_before = spent(tree)};
  const ExploreSinks sinks{
      .journal = [&](const std::string& line) { return directory.append(line); },
      .progress = events.on_progress,
      .stopping = events.stopping};
  Stopwatch watch;
  SF_TRY_ASSIGN(Ending ending, explore(tree, *policy, *agent, world, options, sinks));
  FinishedRun run{plan, std::move(tree), {}};
  run.summary = {.is_solved = run.tree.first_passed().has_value(),
                 .why = ending.why,
                 .best = ending.best,
                 .usage = run.tree.total(),
                 .wall = options.spent_before + watch.elapsed(),
                 .bytes = bytes_of(session, run.tree)};
  NodeDiffs diffs;
  if (plan.compares) {
    events.on_phase("comparing the reached states");
    diffs = compare_states(session, run.tree, ending.best, run.summary.wall);
  }
  SF_TRY(write_evidence(directory, run, task.instruction, diffs));
  return run;
}

}  // namespace sf::explore
