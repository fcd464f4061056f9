// Oracle: a task's own solution, as Terminal-Bench and Harbor have it: a script with the files
// beside it, or commands of which some are typed into a terminal.
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
  bool ends_with_enter = true;  // `append_enter`; else these are keys for whatever reads them
  double least_seconds = 0;     // of waiting, where its end is not waited for
  double most_seconds = 180;    // else
  friend bool operator==(const OracleCommand&, const OracleCommand&) = default;
};

struct Oracle {
  std::vector<Upload> files;  // of the host
  std::string script;         // one of these, as it is called inside; empty: `commands`
  Variables env;              // of the script
  std::vector<OracleCommand> commands;
  bool is_there() const { return !script.empty() || !commands.empty(); }
};

// What an agent has to do for it: these files are in the session, and then one command.
struct OraclePlan {
  UploadPlan files;
  std::string check;  // of the system, beforehand: fails and says what is missing; may be empty
  std::string command;
};
// The command holds no value of `env`: runs are shown to others.
Result<OraclePlan> plan_oracle(const Oracle& oracle);

// Pure: "${NAME}" and "${NAME:-OTHERWISE}" as a whole value stand for the host's variable.
// kNotFound: it has none.
using HostVariable = std::function<std::optional<std::string>(const std::string& name)>;
Result<Variables> with_host_variables(Variables variables, const HostVariable& host);
// Of this process.
std::optional<std::string> host_variable(const std::string& name);

}  // namespace sf::explore
