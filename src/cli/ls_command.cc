#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_commands.h"

namespace sf::cli {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

Row row_of(const wire::Json& session) {
  return {session.value("id", ""),
          session.value("name", ""),
          session.value("backend", ""),
          session.value("policy", ""),
          std::to_string(session.value("nodes", 0ULL)),
          std::to_string(session.value("live_branches", 0ULL)),
          session.value("created_at", "").substr(0, 19)};
}

std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      text += row[i];
      if (i + 1 < kColumns) text += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

Result<int> run(const CommandFrame& frame, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json list, client.get("/v1/sessions"));
  if (frame.json) {
    print_json(list);
    return 0;
  }
  std::vector<Row> rows{{"ID", "NAME", "BACKEND", "POLICY", "NODES", "LIVE", "CREATED (UTC)"}};
  for (const wire::Json& session : list["sessions"]) rows.push_back(row_of(session));
  std::cout << table(rows);
  return 0;
}

}  // namespace

void add_ls_command(CLI::App& app, int& exit_code) {
  auto frame = std::make_shared<CommandFrame>();
  CLI::App* command = app.add_subcommand("ls", "List all sessions");
  add_json_option(*command, frame->json);
  add_place_options(*command, frame->place);
  command->callback([frame, &exit_code] {
    exit_code = with_daemon(*frame, [&](ApiClient& client) { return run(*frame, client); });
  });
}

}  // namespace sf::cli
