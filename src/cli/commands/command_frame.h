// Shared by the subcommands: adds them, finds the daemon, prints results and errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands/session_address.h"
#include "cli/daemon/daemon_start.h"
#include "client/api_client.h"
#include "wire/json.h"

namespace sf::cli {

using client::ApiClient;
using client::path_part;
using client::query;

inline constexpr int kFailed = 1;

struct CommandFrame {
  DaemonLocation location;
  bool json = false;
  int failed = kFailed;  // the exit status of a failed command
};

void add_location_options(CLI::App& command, DaemonLocation& location);
void add_json_option(CLI::App& command, bool& json);

// Arguments of many commands. The completion depends on their type names (S, NODE, FILE, DIR, a|b).
CLI::Option* add_session_argument(CLI::App& command, SessionAddress& address,
                                  const std::string& description = "Id or name, or S/BRANCH");
CLI::Option* add_node_argument(CLI::App& command, const std::string& name, std::string& node,
                               const std::string& description = "Id, name, HEAD or HEAD~2");

// Converts the value of --timeout for the API; at most kMaxTimeout.
std::uint64_t timeout_ms(double seconds);

// Runs `work` with a client of the daemon and returns its exit status. The client's first call
// starts a daemon if none answers. On an error, prints it and returns `frame.failed`.
int with_daemon(const CommandFrame& frame, const std::function<Result<int>(ApiClient&)>& work);

template <typename Arguments>
struct Subcommand {
  CLI::App& app;
  Arguments& arguments;
};

// Adds a subcommand that talks to the daemon, with the options common to these.
// `Arguments` is a CommandFrame; `run` gets them with a client of the daemon.
template <typename Arguments, typename Run>
Subcommand<Arguments> add_daemon_command(CLI::App& app, int& exit_code, const std::string& name,
                                         const std::string& description, Run run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(name, description);
  add_json_option(*command, arguments->json);
  add_location_options(*command, arguments->location);
  command->callback([arguments, run, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
  return {*command, *arguments};
}

// "statefork: message", then the hint on a line of its own.
void print_error(const Error& error);
// The same, or the problem as JSON.
void print_failure(const Error& error, bool as_json);
// "statefork: text" on standard error.
void print_remark(const std::string& text);
// Prints the divergences of a restore, a fork or a diff, and whether its state is unproven.
void print_doubts(const wire::Json& answer);
// --accept-divergence
void add_accept_flag(CLI::App& command, bool& accept);
void print_json(const wire::Json& json);
// Prints the answer as JSON with --json, or else as the text that `tell` returns.
int print_answer(const CommandFrame& frame, const wire::Json& answer,
                 const std::function<std::string(const wire::Json&)>& tell);

// From K=V words; `what` names the option.
Result<std::map<std::string, std::string>> parse_pairs(const std::vector<std::string>& words,
                                                       const std::string& what);

}  // namespace sf::cli
