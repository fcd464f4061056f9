#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "cli/commands/command_frame.h"
#include "cli/commands/standard_input.h"
#include "cli/commands/subcommands.h"
#include "os/file.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

constexpr int kTimedOut = 124;    // like timeout(1)
constexpr int kOurFailure = 125;  // like docker: the program's status is unknown

struct RunArguments : CommandFrame {
  SessionAddress address;
  std::string after;  // a word in the place of `--`
  std::vector<std::string> env;
  std::string cwd;
  std::string user;
  double timeout_seconds = -1;
  bool interactive = false;
};

Result<wire::Json> request_of(const RunArguments& arguments,
                              const std::vector<std::string>& words) {
  if (!arguments.after.empty() || words.empty())
    return invalid("the program must follow --",
                   "statefork run " + arguments.address.session + " -- PROGRAM [ARGUMENT...]");
  wire::Json request = {{"argv", words}};
  SF_TRY_ASSIGN(auto env, parse_pairs(arguments.env, "--env"));
  if (!env.empty()) request["env"] = env;
  if (!arguments.cwd.empty()) request["cwd"] = arguments.cwd;
  if (!arguments.user.empty()) request["user"] = arguments.user;
  if (arguments.timeout_seconds >= 0) request["timeout_ms"] = timeout_ms(arguments.timeout_seconds);
  if (arguments.interactive) {
    SF_TRY_ASSIGN(std::string input,
                  read_standard_input(kMaxProgramInput, "copy the input with cp first"));
    const bool is_text = wire::is_utf8(input);
    request[is_text ? "input" : "input_base64"] = is_text ? input : wire::to_base64(input);
  }
  return request;
}

Result<std::string> stream_of(const wire::Json& answer, const std::string& key) {
  if (answer.contains(key + "_base64"))
    return wire::from_base64(answer[key + "_base64"].get<std::string>());
  return answer.value(key, "");
}

Result<int> run_program(const RunArguments& arguments, const std::vector<std::string>& words,
                        const ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json request, request_of(arguments, words));
  SF_TRY_ASSIGN(wire::Json answer, client.post(arguments.address.branch_path() + "/run", request));
  const bool timed_out = answer.value("timed_out", false);
  if (arguments.json) {
    print_json(answer);
  } else {
    SF_TRY_ASSIGN(std::string out, stream_of(answer, "stdout"));
    SF_TRY_ASSIGN(std::string err, stream_of(answer, "stderr"));
    SF_TRY(os::write_all(STDOUT_FILENO, out));
    SF_TRY(os::write_all(STDERR_FILENO, err));
    if (timed_out) print_remark("timed out; the program was killed");
    if (answer.value("truncated", false))
      print_remark("the output is too long: its middle was left out");
  }
  return timed_out ? kTimedOut : answer.value("exit_code", kOurFailure);
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto [command, arguments] = add_daemon_command<RunArguments>(
      app, exit_code, "run", "Run a program beside a session's shell",
      [&words](const RunArguments& given, const ApiClient& client) {
        return run_program(given, words, client);
      });
  arguments.failed = kOurFailure;
  add_session_argument(command, arguments.address);
  command.add_option("PROGRAM", arguments.after, "A program and its arguments")
      ->option_text("-- PROGRAM [ARGUMENT...]");
  command.add_option("-e,--env", arguments.env, "Set an environment variable; may be repeated")
      ->type_name("K=V");
  command.add_option("-w,--cwd", arguments.cwd, "Run in this directory (default: the session's)")
      ->type_name("PATH");
  command.add_option("-u,--user", arguments.user, "Run as this user (default: the session's)")
      ->type_name("USER");
  command
      .add_option("-t,--timeout", arguments.timeout_seconds,
                  "Time limit in seconds (default 120; 0 = none)")
      ->type_name("SECONDS");
  command.add_flag("-i,--interactive", arguments.interactive, "Pass standard input to the program");
  command.footer(
      "Like docker exec, not docker run: the program starts in an existing session. It has no\n"
      "terminal, its output and errors are separate, and the shell is not disturbed. The program\n"
      "cannot be replayed, so the next snapshot has to be physical.\n"
      "Exit status: the program's; 124 if it timed out; 125 if StateFork failed.\n"
      "Examples:\n"
      "  statefork run work -- ps aux\n"
      "  statefork run work -i -w /srv -- python3 - <check.py");
}

}  // namespace sf::cli
