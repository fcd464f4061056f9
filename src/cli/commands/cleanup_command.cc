#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/dead_ends.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

using wire::Json;

struct CleanupArguments : CommandFrame {
  SessionAddress address;
  std::string node;
  bool force = false;
};

Result<Json> clean_up(const CleanupArguments& arguments, const std::string& node,
                      ApiClient& client) {
  Json request = {{"node", node}, {"branch", arguments.address.branch}};
  if (arguments.force) request["force"] = true;
  return client.post(arguments.address.session_path() + "/cleanup", request);
}

void add_up(const Json& report, Json& sum) {
  for (const char* list : {"nodes", "branches", "leftovers"})
    sum[list].insert(sum[list].end(), report.at(list).begin(), report.at(list).end());
  for (const char* number : {"physical_refs", "bytes"})
    sum[number] = sum[number].get<std::uint64_t>() + report.value(number, std::uint64_t{0});
}

std::string report_text(const Json& report) {
  auto list = [&](const char* key, const char* one) {
    std::string text;
    for (const Json& id : report.at(key))
      text += "removed " + (one + (" " + one_line(id.get<std::string>()))) + "\n";
    return text;
  };
  std::string text = list("nodes", "node") + list("branches", "branch");
  if (text.empty()) return "nothing to remove\n";
  for (const Json& left : report.at("leftovers"))
    print_remark("not removed yet: " + one_line(left.get<std::string>()) +
                 " (`statefork gc` retries)");
  return text + "freed " + size_text(report.value("bytes", std::uint64_t{0})) + "\n";
}

Result<int> run_cleanup(const CleanupArguments& arguments, ApiClient& client) {
  if (!arguments.node.empty()) {
    SF_TRY_ASSIGN(Json report, clean_up(arguments, arguments.node, client));
    return print_answer(arguments, report, report_text);
  }
  SF_TRY_ASSIGN(Json tree, client.get(arguments.address.session_path() + "/tree"));
  Json sum = {{"nodes", Json::array()},
              {"branches", Json::array()},
              {"physical_refs", 0},
              {"bytes", 0},
              {"leftovers", Json::array()}};
  for (const std::string& node : dead_ends(tree)) {
    auto report = clean_up(arguments, node, client);
    if (report) {
      add_up(*report, sum);
    } else if (report.error().code == ErrorCode::kBusy) {
      print_remark(node + " stays: " + report.error().message);  // it is in use by now
    } else {
      return std::move(report).error();
    }
  }
  return print_answer(arguments, sum, report_text);
}

}  // namespace

void add_cleanup_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<CleanupArguments>(
      app, exit_code, "cleanup", "Remove a node with its subtree, or all dead ends", run_cleanup);
  add_session_argument(command, arguments.address);
  CLI::Option* node = add_node_argument(command, "NODE", arguments.node);
  command.add_flag("--force", arguments.force, "Also end the branches that use these nodes")
      ->needs(node);
  command.footer(
      "Without NODE: removes each node that has no name, no branch and no descendant with either.\n"
      "To keep a node, name it: `statefork rename S NODE NAME`.\n"
      "Examples:\n"
      "  statefork cleanup work n7\n"
      "  statefork cleanup work");
}

}  // namespace sf::cli
