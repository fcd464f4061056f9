#include "cli/render/tree_drawing.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

using wire::Json;

constexpr std::size_t kShownCommand = 60;

std::string log_text(const Json& log) {
  if (!log.is_array() || log.empty()) return "";
  std::string text = "  $ " + one_line(log.front().value("text", ""), kShownCommand);
  if (log.size() > 1) text += " (+" + std::to_string(log.size() - 1) + " more)";
  return text;
}

std::string branch_text(const Json& branch) {
  std::string text = branch.value("id", "");
  std::size_t pending = branch.contains("pending") ? branch["pending"].size() : 0;
  if (pending > 0) text += " +" + std::to_string(pending);
  if (!branch.value("alive", true)) text += " (lost)";
  return text;
}

std::string node_text(const Json& node, const std::string& branches) {
  std::string text = node.value("id", "");
  if (std::string name = node.value("name", ""); !name.empty()) text += " " + name;
  text += "  " + node.value("kind", "");
  if (node.value("kind", "") == "physical") {
    text += "  " + size_text(node.value("bytes", std::uint64_t{0}));
    text += "  " + duration_text(node.value("took_us", std::int64_t{0}));
  }
  if (node.value("unchanged", false)) text += "  unchanged";
  text += log_text(node.value("log", Json::array()));
  if (!branches.empty()) text += "  <- " + branches;
  return text;
}

struct Pending {  // a node that is not drawn yet
  std::string id;
  std::string first;  // before its own line
  std::string rest;   // before the lines below it
};

}  // namespace

std::string draw_tree(const Json& tree) {
  std::map<std::string, const Json*> nodes;
  std::map<std::string, std::vector<std::string>> children;
  std::map<std::string, std::string> standing;
  std::vector<Pending> stack;
  for (const Json& node : tree.at("nodes")) {
    std::string id = node.value("id", "");
    nodes[id] = &node;
    if (node.at("parent").is_null()) {
      stack.push_back({id, "", ""});
    } else {
      children[node.value("parent", "")].push_back(id);
    }
  }
  for (const Json& branch : tree.at("branches")) {
    std::string& there = standing[branch.value("node", "")];
    there += (there.empty() ? "" : ", ") + branch_text(branch);
  }

  std::string text;
  while (!stack.empty()) {
    Pending next = std::move(stack.back());
    stack.pop_back();
    text += next.first + node_text(*nodes.at(next.id), standing[next.id]) + "\n";
    const std::vector<std::string>& below = children[next.id];
    if (below.size() == 1) stack.push_back({below.front(), next.rest, next.rest});
    for (std::size_t i = below.size(); i > 0 && below.size() > 1; --i) {
      bool last = i == below.size();
      stack.push_back(
          {below[i - 1], next.rest + (last ? "└─ " : "├─ "), next.rest + (last ? "   " : "│  ")});
    }
  }
  return text;
}

}  // namespace sf::cli
