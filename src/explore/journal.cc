#include "explore/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sf::explore {
namespace {

using wire::Json;

microseconds time_from(const Json& json, const char* key) {
  return microseconds(json.at(key).get<long long>());
}

Usage usage_from(const Json& json) {
  Usage usage;
  usage.model_calls = json.at("model_calls");
  usage.tokens_in = json.at("tokens_in");
  usage.tokens_out = json.at("tokens_out");
  usage.money = json.at("money");
  usage.model_time = time_from(json, "model_us");
  usage.command_time = time_from(json, "command_us");
  usage.snapshot_time = time_from(json, "snapshot_us");
  usage.restore_time = time_from(json, "restore_us");
  usage.grade_time = time_from(json, "grade_us");
  return usage;
}

SearchNode node_from(const Json& json) {
  SearchNode node;
  node.parent = json.at("parent").get<NodeIndex>();
  node.state = json.at("state");
  node.action = {json.at("command"), json.at("thought"), json.at("is_last")};
  node.outcome = {json.at("output"), json.at("exit_code"), json.at("timed_out")};
  node.value = json.at("value");
  node.reflection = json.at("reflection");
  node.lane = json.at("lane");
  node.failure = json.at("failure");
  node.began = time_from(json, "began_us");
  node.took = time_from(json, "took_us");
  node.usage = usage_from(json.at("usage"));
  return node;
}

// Command output may contain any bytes.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string line_of(const Json& json) { return text_of(json) + "\n"; }

// Replaces the longest text by a reference to the journal until the note fits.
std::string note_of(Json json, std::initializer_list<const char*> texts, std::size_t most) {
  std::string note = text_of(json);
  while (note.size() > most) {
    const char* longest = *std::ranges::max_element(
        texts, {}, [&](const char* key) { return json[key].get_ref<const std::string&>().size(); });
    json[longest] = "(too long; see the run's journal)";
    note = text_of(json);
  }
  return note;
}

Json node_json(const SearchNode& node) {
  return {{"event", "node"},
          {"parent", node.parent.value_or(kRoot)},
          {"state", node.state},
          {"command", node.action.command},
          {"thought", node.action.thought},
          {"is_last", node.action.is_last},
          {"output", node.outcome.output},
          {"exit_code", node.outcome.exit_code},
          {"timed_out", node.outcome.timed_out},
          {"value", node.value},
          {"reflection", node.reflection},
          {"lane", node.lane},
          {"failure", node.failure},
          {"began_us", node.began.count()},
          {"took_us", node.took.count()},
          {"usage", to_json(node.usage)}};
}

Json grade_json(const Grade& grade) { return {{"score", grade.score}, {"log", grade.log}}; }

NodeIndex index_in(const SearchTree& tree, const Json& json) {
  const auto index = json.at("node").get<NodeIndex>();
  if (index >= tree.size()) throw std::out_of_range("unknown node " + std::to_string(index));
  return index;
}

void apply(SearchTree& tree, const Json& json) {
  const std::string event = json.at("event");
  if (event == "node") {
    SearchNode node = node_from(json);
    if (*node.parent >= tree.size()) throw std::out_of_range("its parent is missing");
    tree.add(std::move(node));
  } else if (event == "grade") {
    tree.set_grade(index_in(tree, json), {json.at("score"), json.at("log")},
                   usage_from(json.at("usage")));
  } else if (event == "commit") {
    const NodeIndex index = index_in(tree, json);
    if (tree.at(index).parent != tree.committed())
      throw std::out_of_range("the node cannot extend the main line");
    tree.commit(index);
    tree.spend(index, usage_from(json.at("usage")));
  } else if (event == "spent") {
    tree.spend(index_in(tree, json), usage_from(json.at("usage")));
  } else {
    throw std::out_of_range("unknown event \"" + event + "\"");
  }
}

}  // namespace

Json to_json(const Usage& usage) {
  return {{"model_calls", usage.model_calls},
          {"tokens_in", usage.tokens_in},
          {"tokens_out", usage.tokens_out},
          {"money", usage.money},
          {"model_us", usage.model_time.count()},
          {"command_us", usage.command_time.count()},
          {"snapshot_us", usage.snapshot_time.count()},
          {"restore_us", usage.restore_time.count()},
          {"grade_us", usage.grade_time.count()}};
}

std::string root_line(const std::string& state) {
  return line_of({{"event", "root"}, {"version", 1}, {"state", state}});
}

std::string node_line(const SearchNode& node) { return line_of(node_json(node)); }

std::string grade_line(NodeIndex index, const Grade& grade, const Usage& usage) {
  Json json = grade_json(grade);
  json.update({{"event", "grade"}, {"node", index}, {"usage", to_json(usage)}});
  return line_of(json);
}

std::string commit_line(NodeIndex index, const Usage& usage) {
  return line_of({{"event", "commit"}, {"node", index}, {"usage", to_json(usage)}});
}

std::string spent_line(NodeIndex index, const Usage& usage) {
  return line_of({{"event", "spent"}, {"node", index}, {"usage", to_json(usage)}});
}

std::string node_note(const SearchNode& node, std::size_t most) {
  return note_of(node_json(node), {"command", "thought", "output", "reflection", "failure"}, most);
}

std::string grade_note(const Grade& grade, std::size_t most) {
  return note_of(grade_json(grade), {"log"}, most);
}

Result<SearchTree> read_journal(std::string_view text) {
  std::optional<SearchTree> tree;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // an incomplete last line
    const Json json = Json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    try {
      if (!tree) {
        if (json.at("event") != "root" || json.at("version") != 1)
          throw std::out_of_range("not a journal, or an unsupported version");
        tree.emplace(json.at("state").get<std::string>());
      } else {
        apply(*tree, json);
      }
    } catch (const std::exception& e) {  // including the JSON library's exceptions
      return fail(ErrorCode::kCorrupt,
                  "line " + std::to_string(number) + " of the journal: " + e.what());
    }
  }
  if (!tree) return fail(ErrorCode::kCorrupt, "the journal is empty");
  return std::move(*tree);
}

}  // namespace sf::explore
