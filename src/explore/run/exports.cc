#include "explore/run/exports.h"

#include <nlohmann/json.hpp>

#include "explore/journal.h"

namespace sf::explore {

using wire::Json;

namespace {

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json grade_of(const SearchNode& node) {
  if (!node.grade) return {};
  return {{"score", node.grade->score}, {"log", node.grade->log}};
}

Json node_document(const SearchNode& node, NodeIndex index, const NodeDiffs& diffs) {
  auto diff = diffs.find(index);
  return {{"id", index},
          {"parent", node.parent ? Json(*node.parent) : Json()},
          {"state", node.state},
          {"command", node.action.command},
          {"thought", node.action.thought},
          {"last", node.action.is_last},
          {"output", node.outcome.output},
          {"exit_code", node.outcome.exit_code},
          {"timed_out", node.outcome.timed_out},
          {"value", node.value},
          {"reflection", node.reflection},
          {"grade", grade_of(node)},
          {"committed", node.is_committed},
          {"lane", node.lane},
          {"failure", node.failure},
          {"usage", to_json(node.usage)},
          {"began_us", node.began.count()},
          {"took_us", node.took.count()},
          {"diff", diff == diffs.end() ? Json() : diff->second}};
}

Json step_of(const SearchNode& node) {
  return {{"thought", node.action.thought},      {"command", node.action.command},
          {"output", node.outcome.output},       {"exit_code", node.outcome.exit_code},
          {"timed_out", node.outcome.timed_out}, {"value", node.value}};
}

std::string spoken(const Action& action) {
  return action.thought.empty() ? action.command : action.thought + "\n\n" + action.command;
}

// The conversation on the path to a node, as a model would have seen it.
Json messages_to(const std::string& instruction, const SearchTree& tree, NodeIndex index) {
  Json messages = Json::array({{{"role", "user"}, {"content", instruction}}});
  for (NodeIndex each : tree.path(index)) {
    const SearchNode& node = tree.at(each);
    messages.push_back({{"role", "assistant"}, {"content", spoken(node.action)}});
    messages.push_back({{"role", "user"},
                        {"content", node.outcome.output + "[exit status " +
                                        std::to_string(node.outcome.exit_code) +
                                        (node.outcome.timed_out ? ", timed out]" : "]")}});
  }
  return messages;
}

// Whether a solution was reached at or below each node.
std::vector<bool> leads_to_solution(const SearchTree& tree) {
  std::vector<bool> leads(tree.size(), false);
  for (NodeIndex index = 0; index < tree.size(); ++index) {
    const SearchNode& node = tree.at(index);
    if (!node.grade || !node.grade->passed()) continue;
    for (std::optional<NodeIndex> at = index; at && !leads[*at]; at = tree.at(*at).parent)
      leads[*at] = true;
  }
  return leads;
}

}  // namespace

Json tree_document(const RunPlan& plan, const std::string& instruction, const SearchTree& tree,
                   const RunSummary& summary, const NodeDiffs& diffs) {
  Json nodes = Json::array();
  for (NodeIndex index = 0; index < tree.size(); ++index)
    nodes.push_back(node_document(tree.at(index), index, diffs));
  const std::size_t slash = plan.task_directory.rfind('/');
  Json numbers = to_json(summary.usage);
  numbers.update({{"solved", summary.is_solved},
                  {"why", summary.why},
                  {"best", summary.best},
                  {"nodes", tree.size() - 1},
                  {"wall_us", summary.wall.count()},
                  {"bytes", summary.bytes}});
  return {{"version", 1},
          {"run",
           {{"id", plan.id},
            {"task", plan.task_directory.substr(slash + 1)},
            {"instruction", instruction},
            {"policy", plan.policy},
            {"options", to_json(plan)["options"]},
            {"agent", plan.agent.kind},
            {"model", plan.agent.model},
            {"backend", plan.backend},
            {"materialization", plan.materialization},
            {"engine", plan.engine},
            {"session", plan.session},
            {"jobs", plan.jobs},
            {"began", plan.began}}},
          {"summary", std::move(numbers)},
          {"nodes", std::move(nodes)}};
}

std::string trajectories(const RunPlan& plan, const std::string& instruction,
                         const SearchTree& tree) {
  std::string lines;
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    if (!tree.children(index).empty()) continue;
    const SearchNode& leaf = tree.at(index);
    Json steps = Json::array();
    for (NodeIndex each : tree.path(index)) steps.push_back(step_of(tree.at(each)));
    lines += line_of({{"run", plan.id},
                      {"policy", plan.policy},
                      {"instruction", instruction},
                      {"leaf", index},
                      {"score", leaf.grade ? Json(leaf.grade->score) : Json()},
                      {"solved", leaf.grade && leaf.grade->passed()},
                      {"failure", leaf.failure},
                      {"steps", std::move(steps)}});
  }
  return lines;
}

std::string conversations(const std::string& instruction, const SearchTree& tree) {
  std::string lines;
  for (NodeIndex index = 1; index < tree.size(); ++index) {
    const SearchNode& node = tree.at(index);
    if (!node.grade || !node.grade->passed()) continue;
    lines += line_of({{"messages", messages_to(instruction, tree, index)}});
  }
  return lines;
}

std::string preferences(const std::string& instruction, const SearchTree& tree) {
  const std::vector<bool> leads = leads_to_solution(tree);
  std::string lines;
  for (NodeIndex parent = 0; parent < tree.size(); ++parent) {
    for (NodeIndex chosen : tree.children(parent)) {
      if (!leads[chosen]) continue;
      for (NodeIndex rejected : tree.children(parent)) {
        const Action& other = tree.at(rejected).action;
        if (leads[rejected] || other == tree.at(chosen).action) continue;
        lines += line_of({{"prompt", messages_to(instruction, tree, parent)},
                          {"chosen", spoken(tree.at(chosen).action)},
                          {"rejected", spoken(other)}});
      }
    }
  }
  return lines;
}

}  // namespace sf::explore
