// What the subcommands share: where the daemon is, how results and failures are printed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/api_client.h"
#include "cli/daemon_start.h"
#include "wire/json.h"

namespace sf::cli {

inline constexpr int kFailed = 1;

struct CommandFrame {
  DaemonPlace place;
  bool json = false;
};

void add_place_options(CLI::App& command, DaemonPlace& place);
void add_json_option(CLI::App& command, bool& json);

// Runs `work` with a daemon that answers and returns its exit status; reports a failure and returns
// `failed`.
int with_daemon(const CommandFrame& frame, const std::function<Result<int>(ApiClient&)>& work,
                int failed = kFailed);

// "statefork: message", then the hint on a line of its own.
void print_error(const Error& error);
void print_json(const wire::Json& json);

// From K=V words; `what` names the option.
Result<std::map<std::string, std::string>> parse_pairs(const std::vector<std::string>& words,
                                                       const std::string& what);

}  // namespace sf::cli
