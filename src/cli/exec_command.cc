#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_address.h"
#include "cli/session_commands.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

constexpr int kTimedOut = 124;    // as timeout(1)
constexpr int kOurFailure = 125;  // as docker: the command's own status is not known

struct ExecArguments : CommandFrame {
  std::string session;
  std::string after;  // what stands where `--` should
  double timeout_seconds = -1;
  std::uint64_t max_output = 0;
};

Result<std::string> command_text(const ExecArguments& arguments,
                                 const std::vector<std::string>& words) {
  if (!arguments.after.empty() && arguments.after != "-")
    return invalid("the command stands after --",
                   "statefork exec " + arguments.session + " -- " + arguments.after + " ...");
  bool from_input = arguments.after == "-" || (words.size() == 1 && words.front() == "-");
  if (from_input)
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  if (text.empty())
    return invalid("there is no command", "statefork exec " + arguments.session + " -- COMMAND");
  return text;
}

Result<wire::Json> request_of(const ExecArguments& arguments,
                              const std::vector<std::string>& words) {
  SF_TRY_ASSIGN(std::string text, command_text(arguments, words));
  wire::Json request = wire::Json::object();
  if (wire::is_utf8(text)) {
    request["command"] = text;
  } else {
    request["command_base64"] = wire::to_base64(text);
  }
  if (arguments.timeout_seconds >= 0)
    request["timeout_ms"] =
        static_cast<std::uint64_t>(std::ceil(std::min(arguments.timeout_seconds, 3e7) * 1000));
  if (arguments.max_output != 0) request["max_output"] = arguments.max_output;
  return request;
}

Result<int> run(const ExecArguments& arguments, const std::vector<std::string>& words,
                ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(arguments.session));
  SF_TRY_ASSIGN(wire::Json request, request_of(arguments, words));
  SF_TRY_ASSIGN(wire::Json seen, client.post(address.branch_path() + "/exec", request));
  bool timed_out = seen.value("timed_out", false);
  if (arguments.json) {
    print_json(seen);
  } else {
    std::string output = seen.value("output", "");
    if (seen.contains("output_base64")) {
      SF_TRY_ASSIGN(output, wire::from_base64(seen.value("output_base64", "")));
    }
    std::cerr << seen.value("background", "") << std::flush;
    std::cout << output << std::flush;
    if (timed_out) std::cerr << "statefork: timed out; the shell is ready for the next command\n";
    if (seen.value("truncated", false))
      std::cerr << "statefork: the output was cut to its head and tail (--max-output)\n";
  }
  return timed_out ? kTimedOut : seen.value("exit_code", kOurFailure);
}

}  // namespace

void add_exec_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto arguments = std::make_shared<ExecArguments>();
  CLI::App* command = app.add_subcommand("exec", "Run a command line in a session's shell");
  command->add_option("session", arguments->session, "Id or name, or SESSION/BRANCH")
      ->type_name("S")
      ->required();
  command->add_option("command", arguments->after, "- reads the command line from standard input")
      ->type_name("-");
  command->add_option("-t,--timeout", arguments->timeout_seconds,
                      "Seconds until it is interrupted (default 120; 0: never)");
  command->add_option("--max-output", arguments->max_output, "Bytes of output to keep");
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->footer(
      "The words after -- are joined with spaces to one command line, as ssh does.\n"
      "Exit status: the command's; 124 when it timed out; 125 when StateFork failed.\n"
      "Example: statefork exec work -t 60 -- 'cd /srv && make test'");
  command->callback([arguments, &words, &exit_code] {
    exit_code = with_daemon(
        *arguments, [&](ApiClient& client) { return run(*arguments, words, client); }, kOurFailure);
  });
}

}  // namespace sf::cli
