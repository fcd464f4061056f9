// Oracle: the task's own solution, in the formats of Terminal-Bench and Harbor: a script with the
// files beside it, or a list of commands, some of which are typed into a terminal.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/tasks/upload.h"

namespace sf::explore {

using Variables = std::map<std::string, std::string>;

struct OracleCommand {
  std::string text;
  bool waits_for_end = false;   // `block`
  bool ends_with_enter = true;  // `append_enter`; false: keys for the running program
  double least_seconds = 0;     // time to wait if not `waits_for_end`
  double most_seconds = 180;    // time limit if `waits_for_end`
  friend bool operator==(const OracleCommand&, const OracleCommand&) = default;
};

struct Oracle {
  std::vector<Upload> files;  // of the host
  std::string script;         // path of the script in the session; empty: `commands`
  Variables env;              // of the script
  std::vector<OracleCommand> commands;
  bool is_there() const { return !script.empty() || !commands.empty(); }
};

// How an agent applies the oracle: upload the files, then run one command.
struct OraclePlan {
  UploadPlan files;
  std::string check;  // fails with a message if the system lacks a requirement; may be empty
  std::string command;
};
// `command` contains no value of `env`, because runs may be shared.
Result<OraclePlan> plan_oracle(const Oracle& oracle);

// Pure. Replaces values of the form "${NAME}" and "${NAME:-OTHERWISE}" by the host's variable.
// kNotFound: the variable is not set.
using HostVariable = std::function<std::optional<std::string>(const std::string& name)>;
Result<Variables> with_host_variables(Variables variables, const HostVariable& host);
// Reads a variable of this process.
std::optional<std::string> host_variable(const std::string& name);

}  // namespace sf::explore
