#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

struct ScreenArguments : CommandFrame {
  SessionAddress address;
  std::uint64_t scrollback = 0;
};

std::string screen_text(const wire::Json& screen) {
  std::string text;
  for (const char* part : {"scrollback", "rows"}) {
    for (const wire::Json& row : screen.value(part, wire::Json::array())) {
      std::string line = one_line(row.get<std::string>());
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

Result<int> run_screen(const ScreenArguments& arguments, ApiClient& client) {
  const std::string lines = arguments.scrollback == 0 ? "" : std::to_string(arguments.scrollback);
  SF_TRY_ASSIGN(wire::Json screen, client.get(arguments.address.branch_path() + "/screen" +
                                              query({{"scrollback", lines}})));
  return print_answer(arguments, screen, screen_text);
}

}  // namespace

void add_screen_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ScreenArguments>(
      app, exit_code, "screen", "Print the screen of a session's terminal", run_screen);
  add_session_argument(command, arguments.address);
  command
      .add_option("--scrollback", arguments.scrollback,
                  "Also print this many lines above the screen (default: 0)")
      ->type_name("LINES");
  command.footer("Example: statefork keys work top Enter && statefork screen work");
}

}  // namespace sf::cli
