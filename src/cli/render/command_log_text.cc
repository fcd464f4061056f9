#include "cli/render/command_log_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

using wire::Json;

constexpr std::size_t kShownCommand = 200;

std::string status_text(const Json& entry) {
  if (entry.value("outcome_unknown", false)) return "?";
  if (entry.value("timed_out", false)) return "timeout";
  return std::to_string(entry.value("exit_code", 0));
}

std::string entry_text(const Json& entry) {
  const std::string kind = entry.value("kind", "command");
  std::string text = one_line(entry.value("text", ""), kShownCommand);
  if (kind != "command") text = "(" + kind + ") " + text;
  if (entry.value("shell_restarted", false)) text += "  [ended its shell]";
  if (entry.value("left_background", false)) text += "  [left processes]";
  return text;
}

}  // namespace

Json branch_log(const Json& tree, const std::string& branch) {
  std::unordered_map<std::string, const Json*> nodes;
  for (const Json& node : tree.at("nodes")) nodes[node.value("id", "")] = &node;
  const Json& branches = tree.at("branches");
  auto standing = std::find_if(branches.begin(), branches.end(),
                               [&](const Json& one) { return one.value("id", "") == branch; });
  std::vector<const Json*> path;
  const Json* at = nodes.at(standing->value("node", ""));
  for (; at != nullptr; at = at->at("parent").is_null() ? nullptr : nodes.at(at->at("parent")))
    path.push_back(at);
  std::reverse(path.begin(), path.end());

  Json entries = Json::array();
  for (const Json* node : path) {
    for (Json entry : node->value("log", Json::array())) {
      entry["node"] = node->at("id");
      entry["snapshot_at"] = node->value("created_at", "");
      entries.push_back(std::move(entry));
    }
  }
  for (Json entry : standing->value("pending", Json::array())) {
    entry["node"] = nullptr;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string command_log_text(const Json& entries) {
  const bool with_node = !entries.empty() && entries.front().contains("node");
  std::vector<Row> rows{{"EXIT", "TOOK", "COMMAND"}};
  if (with_node) rows.front().insert(rows.front().begin(), {"NODE", "SNAPSHOT (UTC)"});
  for (const Json& entry : entries) {
    Row row{status_text(entry), duration_text(entry.value("duration_us", std::int64_t{0})),
            entry_text(entry)};
    if (with_node) {
      const bool pending = entry["node"].is_null();
      row.insert(row.begin(), {pending ? "-" : entry["node"].get<std::string>(),
                               pending ? "-" : time_text(entry.value("snapshot_at", ""))});
    }
    rows.push_back(std::move(row));
  }
  return columns(rows);
}

}  // namespace sf::cli
