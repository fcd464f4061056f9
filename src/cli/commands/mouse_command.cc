#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "wire/input_message.h"

namespace sf::cli {
namespace {

struct MouseArguments : CommandFrame {
  SessionAddress address;
  std::string action;
  std::uint16_t row = 0;
  std::uint16_t col = 0;
  std::string button;
  bool control = false;
  bool alt = false;
  bool shift = false;
};

Result<int> run_mouse(const MouseArguments& arguments, const ApiClient& client) {
  wire::Json event = {{"action", arguments.action}, {"row", arguments.row},
                      {"col", arguments.col},       {"control", arguments.control},
                      {"alt", arguments.alt},       {"shift", arguments.shift}};
  if (!arguments.button.empty()) event["button"] = arguments.button;
  wire::Json list = wire::Json::array({{{"mouse", std::move(event)}}});
  SF_TRY(wire::input_from_json(list));
  SF_TRY_ASSIGN(wire::Json answer,
                client.post(arguments.address.branch_path() + "/keys", {{"input", list}}));
  return print_answer(arguments, answer, [](const auto&) { return std::string(); });
}

}  // namespace

void add_mouse_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<MouseArguments>(
      app, exit_code, "mouse", "Use the mouse in a session's terminal", run_mouse);
  add_session_argument(command, arguments.address);
  command.add_option("ACTION", arguments.action, "click press release move wheel_up wheel_down")
      ->required()
      ->type_name("click|press|release|move|wheel_up|wheel_down");
  command.add_option("ROW", arguments.row, "Row of the screen, from 0")->required();
  command.add_option("COL", arguments.col, "Column of the screen, from 0")->required();
  command.add_option("--button", arguments.button, "Use this button (default: left)")
      ->type_name("left|middle|right|none");
  command.add_flag("--control", arguments.control, "Hold Control");
  command.add_flag("--alt", arguments.alt, "Hold Alt");
  command.add_flag("--shift", arguments.shift, "Hold Shift");
  command.footer(
      "Fails if the program in the terminal did not enable mouse reports.\n"
      "Example: statefork mouse work click 4 10");
}

}  // namespace sf::cli
