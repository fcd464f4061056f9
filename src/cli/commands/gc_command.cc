#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

std::string report_text(const wire::Json& report) {
  std::string text;
  for (const wire::Json& one : report.value("ended", wire::Json::array()))
    text += "ended " + one.value("id", "") + " " + one.value("name", "") + "  (" +
            one_line(one.value("why", "")) + ")\n";
  for (const wire::Json& left : report.value("leftovers", wire::Json::array()))
    print_remark("not removed yet: " + one_line(left.get<std::string>()));
  return text.empty() ? "no session had reached its time limit\n" : text;
}

Result<int> run_gc(const CommandFrame& frame, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json report, client.post("/v1/gc", wire::Json::object()));
  return print_answer(frame, report, report_text);
}

}  // namespace

void add_gc_command(CLI::App& app, int& exit_code) {
  add_daemon_command<CommandFrame>(
      app, exit_code, "gc", "End sessions past their time limit and remove leftovers", run_gc)
      .app.footer(
          "The daemon also does this periodically.\n"
          "Example: statefork gc --json");
}

}  // namespace sf::cli
