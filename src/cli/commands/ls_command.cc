#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

std::string table(const wire::Json& list) {
  std::vector<Row> rows{{"ID", "NAME", "BACKEND", "POLICY", "NODES", "LIVE", "CREATED (UTC)"}};
  for (const wire::Json& session : list.at("sessions"))
    rows.push_back({session.value("id", ""), session.value("name", ""),
                    session.value("backend", ""), session.value("policy", ""),
                    std::to_string(session.value("nodes", 0ULL)),
                    std::to_string(session.value("live_branches", 0ULL)),
                    time_text(session.value("created_at", ""))});
  std::string text = columns(rows);
  for (const wire::Json& session : list.at("sessions")) {
    const std::string problem = session.value("problem", "");
    if (!problem.empty()) text += session.value("id", "") + " has a problem: " + problem + "\n";
  }
  return text;
}

Result<int> run_ls(const CommandFrame& frame, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json list, client.get("/v1/sessions"));
  return print_answer(frame, list, table);
}

}  // namespace

void add_ls_command(CLI::App& app, int& exit_code) {
  add_daemon_command<CommandFrame>(app, exit_code, "ls", "List all sessions", run_ls)
      .app.footer("Example: statefork ls --json | jq -r '.sessions[].name'");
}

}  // namespace sf::cli
