#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"

namespace sf::cli {
namespace {

struct ResizeArguments : CommandFrame {
  SessionAddress address;
  std::string size;
};

// Parses "120x40".
Result<wire::Json> window_request(std::string_view size) {
  const std::size_t cross = size.find('x');
  auto number = [](std::string_view digits) -> std::uint16_t {
    std::uint16_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? value : std::uint16_t{0};
  };
  const std::uint16_t cols = number(size.substr(0, cross));
  const std::uint16_t rows =
      cross == std::string_view::npos ? std::uint16_t{0} : number(size.substr(cross + 1));
  if (cols == 0 || rows == 0)
    return invalid("'" + std::string(size) + "' is not a window size",
                   "give columns and rows from 1 to 65535: statefork resize S 120x40");
  return wire::Json{{"rows", rows}, {"cols", cols}};
}

Result<int> run_resize(const ResizeArguments& arguments, const ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json request, window_request(arguments.size));
  SF_TRY_ASSIGN(wire::Json answer,
                client.post(arguments.address.branch_path() + "/resize", request));
  return print_answer(arguments, answer, [](const auto&) { return std::string(); });
}

}  // namespace

void add_resize_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ResizeArguments>(
      app, exit_code, "resize", "Give a session's terminal another size", run_resize);
  add_session_argument(command, arguments.address);
  command.add_option("SIZE", arguments.size, "Columns and rows")
      ->required()
      ->type_name("COLSxROWS");
  command.footer(
      "The programs in the terminal get SIGWINCH. The size belongs to the branch: a restore keeps\n"
      "it, and a fork begins with its node's size.\n"
      "Example: statefork resize work 120x40");
}

}  // namespace sf::cli
