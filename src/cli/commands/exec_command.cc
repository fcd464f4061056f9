#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "cli/commands/command_frame.h"
#include "cli/commands/interrupts.h"
#include "cli/commands/standard_input.h"
#include "cli/commands/subcommands.h"
#include "cli/daemon/execution_watch.h"
#include "os/file.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

constexpr int kTimedOut = 124;     // like timeout(1)
constexpr int kOurFailure = 125;   // like docker: the command's status is unknown
constexpr int kInterrupted = 130;  // like a shell: Ctrl-C
constexpr int kNobodyReads = 141;  // like a shell: SIGPIPE

struct ExecArguments : CommandFrame {
  SessionAddress address;
  std::string after;  // a word in the place of `--`
  double timeout_seconds = -1;
  std::uint64_t max_output = 0;
  bool detach = false;
  std::string attach;

  std::string name() const {
    return address.session + (address.names_branch ? "/" + address.branch : "");
  }
};

Result<std::string> command_text(const ExecArguments& arguments,
                                 const std::vector<std::string>& words) {
  if (!arguments.after.empty() && arguments.after != "-")
    return invalid("the command must follow --",
                   "statefork exec " + arguments.name() + " -- " + arguments.after + " ...");
  bool from_input = arguments.after == "-" || (words.size() == 1 && words.front() == "-");
  if (from_input) return read_standard_input(kMaxCommand, "copy it with cp, then run the file");
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  if (text.empty())
    return invalid("the command is missing", "statefork exec " + arguments.name() + " -- COMMAND");
  return text;
}

Result<wire::Json> request_of(const ExecArguments& arguments, const std::vector<std::string>& words,
                              bool raw) {
  SF_TRY_ASSIGN(std::string text, command_text(arguments, words));
  wire::Json request = wire::Json::object();
  if (wire::is_utf8(text)) {
    request["command"] = text;
  } else {
    request["command_base64"] = wire::to_base64(text);
  }
  if (arguments.timeout_seconds >= 0) request["timeout_ms"] = timeout_ms(arguments.timeout_seconds);
  if (arguments.max_output != 0) request["max_output"] = arguments.max_output;
  if (raw) request["raw"] = true;
  return request;
}

// Connects the command with this terminal or pipe: streams its output, forwards Ctrl-C.
class Console {
 public:
  Console(const ExecArguments& arguments, const ApiClient& client, std::string execution)
      : arguments_(arguments), client_(client), execution_(std::move(execution)) {}

  Result<int> watch() {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe interrupts the command instead
    Interrupts interrupts([this](int count) { on_interrupt(count); });
    WatchCallbacks callbacks{
        [this](std::string_view bytes) { show(bytes); },
        [] { print_remark("some output is missing: the daemon no longer keeps it"); }};
    SF_TRY_ASSIGN(
        std::optional<wire::Json> result,
        watch_execution(client_,
                        arguments_.address.branch_path() + "/executions/" + path_part(execution_),
                        gate_, callbacks));
    if (!written_.ok() && written_.error().os_errno == EPIPE) return kNobodyReads;
    if (!written_.ok()) return std::move(written_).error().while_doing("standard output");
    if (!result) return kInterrupted;
    return report(*result);
  }

 private:
  void on_interrupt(int count) {
    if (count > 1) {
      print_remark("detached; the command keeps running. To attach again:\n  statefork exec " +
                   arguments_.name() + " --attach " + execution_);
      gate_.close();
      return;
    }
    interrupt_command();
    print_remark("interrupting the command; Ctrl-C again leaves it running and detaches");
  }

  void interrupt_command() const {
    auto sent = client_.post(
        arguments_.address.branch_path() + "/executions/" + path_part(execution_) + "/interrupt",
        wire::Json::object());
    if (!sent) print_error(sent.error());
  }

  void show(std::string_view bytes) {
    if (arguments_.json || !written_.ok()) return;
    written_ = os::write_all(STDOUT_FILENO, bytes);
    if (written_.ok()) return;
    interrupt_command();
    gate_.close();
  }

  Result<int> report(const wire::Json& result) const {
    const bool timed_out = result.value("timed_out", false);
    if (arguments_.json) {
      print_json(result);
    } else {
      std::cerr << result.value("background", "");
      if (timed_out) print_remark("timed out; the shell is ready for the next command");
      if (result.value("shell_restarted", false))
        print_remark("the command ended its shell; a new one was started");
    }
    return timed_out ? kTimedOut : result.value("exit_code", kOurFailure);
  }

  const ExecArguments& arguments_;
  const ApiClient& client_;
  const std::string execution_;
  ApiClient::Gate gate_;
  Status written_ = Ok{};
};

Result<int> run_exec(const ExecArguments& arguments, const std::vector<std::string>& words,
                     const ApiClient& client) {
  if (!arguments.attach.empty()) return Console(arguments, client, arguments.attach).watch();
  const bool raw = !arguments.json && ::isatty(STDOUT_FILENO) == 1;
  SF_TRY_ASSIGN(wire::Json request, request_of(arguments, words, raw));
  SF_TRY_ASSIGN(wire::Json started,
                client.post(arguments.address.branch_path() + "/executions", request));
  const std::string execution = started.value("execution", "");
  if (!arguments.detach) return Console(arguments, client, execution).watch();
  return print_answer(arguments, started, [&](const auto&) { return execution + "\n"; });
}

}  // namespace

void add_exec_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ExecArguments>(
      app, exit_code, "exec", "Run a command line in a session's shell",
      [&words](const ExecArguments& given, const ApiClient& client) {
        return run_exec(given, words, client);
      });
  arguments.failed = kOurFailure;
  add_session_argument(command, arguments.address);
  command.add_option("COMMAND", arguments.after, "A command line; - reads it from standard input")
      ->option_text("-- COMMAND... | -");
  command
      .add_option("-t,--timeout", arguments.timeout_seconds,
                  "Time limit in seconds (default 120; 0 = none)")
      ->type_name("SECONDS");
  command
      .add_option("--max-output", arguments.max_output,
                  "Keep this much output with --json, head and tail (default: 1 MiB)")
      ->type_name("BYTES");
  CLI::Option* detach =
      command.add_flag("-d,--detach", arguments.detach, "Do not wait; print the id for --attach");
  command
      .add_option("--attach", arguments.attach, "Follow a running command from its first output")
      ->type_name("EXECUTION")
      ->excludes(detach);
  command.footer(
      "Unlike docker exec, the command line runs in the session's own shell: its directory,\n"
      "variables and jobs remain. `statefork run` starts a separate program instead.\n"
      "The words after -- are joined with spaces to one command line, as ssh does. Output is\n"
      "streamed: unchanged to a terminal, otherwise as plain text. Ctrl-C interrupts the command;\n"
      "a second Ctrl-C detaches and leaves it running.\n"
      "Exit status: the command's; 124 if it timed out; 125 if StateFork failed; 130 if you\n"
      "detached.\n"
      "Examples:\n"
      "  statefork exec work -t 60 -- 'cd /srv && make test'\n"
      "  statefork exec work - <script.sh\n"
      "  x=$(statefork exec work -d -t 0 -- ./train) && statefork exec work --attach $x");
}

}  // namespace sf::cli
