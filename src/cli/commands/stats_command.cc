#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

using wire::Json;

struct StatsArguments : CommandFrame {
  SessionAddress address;
};

std::string table(const Json& all) {
  std::vector<Row> rows{{"ID", "NAME", "COMMANDS", "NODES", "LIVE", "SNAPSHOTS", "READY",
                         "RESTORES", "FORKS", "BYTES"}};
  for (const Json& one : all.at("sessions")) {
    auto number = [&](const char* key) { return one.value(key, std::uint64_t{0}); };
    auto text = [&](const char* key) { return std::to_string(number(key)); };
    rows.push_back({one.value("id", ""), one.value("name", ""), text("commands"), text("nodes"),
                    text("live_branches"),
                    std::to_string(number("physical_snapshots") + number("virtual_snapshots")),
                    text("ready_refs"), text("restores"), text("forked_branches"),
                    size_text(number("physical_bytes"))});
  }
  return columns(rows);
}

Result<int> run_stats(const StatsArguments& arguments, ApiClient& client) {
  if (!arguments.address.session.empty()) {
    SF_TRY_ASSIGN(Json stats, client.get(arguments.address.session_path() + "/stats"));
    return print_answer(arguments, stats, facts_text);
  }
  SF_TRY_ASSIGN(Json list, client.get("/v1/sessions"));
  Json all = Json::array();
  for (const Json& session : list.at("sessions")) {
    const SessionAddress address{.session = session.value("id", "")};
    auto stats = client.get(address.session_path() + "/stats");
    if (!stats && stats.error().code == ErrorCode::kNotFound) continue;  // it has just ended
    if (!stats) return std::move(stats).error();
    (*stats)["id"] = session["id"];
    (*stats)["name"] = session.value("name", "");
    all.push_back(std::move(*stats));
  }
  return print_answer(arguments, {{"sessions", std::move(all)}}, table);
}

}  // namespace

void add_stats_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<StatsArguments>(
      app, exit_code, "stats", "Show counters and sizes of a session, or of all", run_stats);
  add_session_argument(command, arguments.address, "Id or name (default: all)")->required(false);
  command.footer(
      "Counters and times begin with the daemon. Ready: prerestored snapshots (statefork serve\n"
      "--trees-ahead).\n"
      "Example: statefork stats work");
}

}  // namespace sf::cli
