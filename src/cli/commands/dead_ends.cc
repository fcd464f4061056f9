#include "cli/commands/dead_ends.h"

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

namespace sf::cli {

using wire::Json;

std::vector<std::string> dead_ends(const Json& tree) {
  std::unordered_map<std::string, std::string> parents;
  std::unordered_set<std::string> kept;
  for (const Json& node : tree.at("nodes"))
    parents[node.value("id", "")] = node.at("parent").is_null() ? "" : node.value("parent", "");
  auto keep = [&](std::string id) {
    while (!id.empty() && kept.insert(id).second) id = parents[id];
  };
  for (const Json& branch : tree.at("branches")) keep(branch.value("node", ""));
  for (const Json& node : tree.at("nodes")) {
    if (!node.value("name", "").empty() || node.at("parent").is_null()) keep(node.value("id", ""));
  }
  std::vector<std::string> ends;
  for (const Json& node : tree.at("nodes")) {
    std::string id = node.value("id", "");
    if (!kept.contains(id) && kept.contains(parents[id])) ends.push_back(std::move(id));
  }
  return ends;
}

}  // namespace sf::cli
