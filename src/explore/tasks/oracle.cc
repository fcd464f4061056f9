#include "explore/tasks/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/shell_words.h"

namespace sf::explore {
namespace {

constexpr const char* kEnvFile = "/oracle/env.sh";
constexpr const char* kTypedFile = "/oracle/typed.sh";
constexpr mode_t kPrivate = 0600;
constexpr std::size_t kMostKeys = 4000;  // bytes per call; tmux accepts less than 16 KiB

constexpr const char* kTypedCheck =
    "command -v tmux >/dev/null || { echo 'it is typed into a terminal, which needs the package "
    "tmux: "
    "use a root that has it, or have the Dockerfile install it'; (exit 127); }";

// Like Terminal-Bench, types the commands into a tmux terminal of 160 by 40.
constexpr const char* kTypedBegin = R"(#!/bin/bash
unset TMUX
tmux new-session -d -x 160 -y 40 -s agent || exit
late() {
  tmux capture-pane -p -t agent
  echo "this took too long: $1" >&2
  exit 124
}
)";
constexpr const char* kTypedEnd = "tmux capture-pane -p -t agent\n";

// Quotes an argument of tmux, which treats a semicolon at its end as a separator.
std::string tmux_word(std::string text) {
  if (text.ends_with(';')) text.insert(text.size() - 1, "\\");
  return shell_word(text);
}

bool goes_on_a_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// tmux sends a key if the whole text is the name of a key, such as C-c; other text is typed.
std::string typing(const std::string& text) {
  constexpr const char* kSend = "tmux send-keys -t agent ";
  if (text.size() <= kMostKeys) return kSend + std::string("-- ") + tmux_word(text) + "\n";
  std::string commands;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + kMostKeys, text.size());
    while (end < text.size() && goes_on_a_character(text[end])) --end;
    commands += kSend + std::string("-l -- ") + tmux_word(text.substr(at, end - at)) + "\n";
    at = end;
  }
  return commands;
}

constexpr const char* kEnter = "tmux send-keys -t agent Enter\n";

// Appends the signal to the command's line, so that a program which reads standard input does not
// read it.
std::string with_signal(const std::string& text, const std::string& channel) {
  const bool is_one_line = text.find('\n') == std::string::npos;
  return text + (is_one_line ? "; " : "\n") + "tmux wait -S " + channel;
}

std::string typed_script(const std::vector<OracleCommand>& commands) {
  std::string script = kTypedBegin;
  int number = 0;
  for (const OracleCommand& each : commands) {
    if (each.waits_for_end && each.ends_with_enter) {
      const std::string channel = "done" + std::to_string(++number);
      script += typing(with_signal(each.text, channel)) + kEnter;
      script += fmt::format("timeout {} tmux wait {} || late {}\n", each.most_seconds, channel,
                            shell_word(each.text));
      continue;
    }
    script += typing(each.text);
    if (each.ends_with_enter) script += kEnter;
    if (each.least_seconds > 0) script += fmt::format("sleep {}\n", each.least_seconds);
  }
  return script + kTypedEnd;
}

// If each command is waited for and ends with Enter, a shell can run them in sequence.
bool needs_typing(const std::vector<OracleCommand>& commands) {
  return std::ranges::any_of(commands, [](const OracleCommand& each) {
    return !each.waits_for_end || !each.ends_with_enter;
  });
}

void add_file(UploadPlan& plan, const std::string& path, std::string content) {
  plan.directories.push_back(path.substr(0, path.rfind('/')));
  plan.files.push_back({"", path, kPrivate, std::move(content)});
}

}  // namespace

Result<OraclePlan> plan_oracle(const Oracle& oracle) {
  OraclePlan plan;
  SF_TRY_ASSIGN(plan.files, plan_upload(oracle.files));
  if (oracle.script.empty()) {
    if (needs_typing(oracle.commands)) {
      add_file(plan.files, kTypedFile, typed_script(oracle.commands));
      plan.check = kTypedCheck;
      plan.command = std::string("bash ") + kTypedFile;
      return plan;
    }
    for (const OracleCommand& each : oracle.commands) plan.command += each.text + "\n";
    return plan;
  }
  plan.command = "bash " + oracle.script;
  if (oracle.env.empty()) return plan;
  std::string exports;
  for (const auto& [name, value] : oracle.env)
    exports += "export " + shell_word(name + "=" + value) + "\n";
  add_file(plan.files, kEnvFile, std::move(exports));
  plan.command = std::string("( . ") + kEnvFile + " && " + plan.command + " )";
  return plan;
}

std::optional<std::string> host_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<Variables> with_host_variables(Variables variables, const HostVariable& host) {
  for (auto& [name, value] : variables) {
    if (!value.starts_with("${") || value.find('}') != value.size() - 1) continue;
    const std::string inside = value.substr(2, value.size() - 3);
    const std::size_t otherwise = inside.find(":-");
    const std::string wanted = inside.substr(0, otherwise);
    std::optional<std::string> found = host(wanted);
    const bool has_default = otherwise != std::string::npos;
    if (has_default && (!found || found->empty())) found = inside.substr(otherwise + 2);
    if (!found)
      return fail(ErrorCode::kNotFound,
                  name + " takes its value from $" + wanted + ", which is not set",
                  "export " + wanted + "=...");
    value = std::move(*found);
  }
  return variables;
}

}  // namespace sf::explore
