// Tools that act on one live branch: exec_command, run, snapshot, restore, fork.
#include <utility>

#include "base/request_limits.h"
#include "mcp/output_schema.h"
#include "mcp/tool.h"
#include "mcp/tool_text.h"

namespace sf::cli::mcp {
namespace {

using enum ArgumentType;

// A size that a model can read; the daemon's default is for programs.
constexpr std::uint64_t kReadableOutput = 64U << 10U;

Argument divergence_argument() {
  return {.name = "on_divergence",
          .type = kWord,
          .description = "If a replayed command diverges: fail and change nothing, or accept.",
          .fallback = Json("fail"),
          .words = {"fail", "accept"}};
}

Argument timeout_argument(std::string description) {
  return {.name = "timeout_ms",
          .type = kWhole,
          .description = std::move(description),
          .fallback = kDefaultTimeout.count(),
          .maximum = kMaxTimeout.count()};
}

Argument output_argument(std::string description) {
  return {.name = "max_output",
          .type = kWhole,
          .description = std::move(description),
          .fallback = kReadableOutput,
          .minimum = 1,
          .maximum = kMaxOutput};
}

Tool exec_command() {
  return {
      .name = "exec_command",
      .title = "Run a command",
      .description =
          "Runs a command line in a branch's live bash and returns its output and exit code. The "
          "shell persists: cd, variables, functions and background jobs are there for the next "
          "command. An exit code other than 0 is not a failure of this tool.",
      .hints = {.destructive = true, .open_world = true},
      .arguments = {session_argument(),
                    {.name = "command",
                     .description = "Anything that bash accepts, also several lines.",
                     .required = true},
                    branch_argument(),
                    timeout_argument("Time limit in milliseconds; 0: none."),
                    output_argument("Bytes to return: the head and tail of longer output.")},
      .output_schema = object_of({{"exit_code", whole_field("The exit code, as in $?.")},
                                  {"output", text_field("stdout and stderr, as on a terminal.")},
                                  {"timed_out", flag_field("The command was interrupted.")},
                                  {"truncated", flag_field("The middle was left out.")},
                                  {"output_bytes", whole_field("Size of the whole output.")},
                                  {"duration_us", whole_field("Microseconds.")},
                                  {"background", text_field("Printed by earlier background jobs.")},
                                  {"shell_restarted", flag_field("The command ended the shell.")},
                                  {"left_background", flag_field("It left processes running.")},
                                  {"output_base64", text_field("If the output was not UTF-8.")}},
                                 {"output_bytes", "duration_us", "background", "shell_restarted",
                                  "left_background", "output_base64"}),
      .way = Way::kExecution,
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/executions",
                       .body = picked(arguments, {"command", "timeout_ms", "max_output"})};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = exec_text(answer), .structured = answer};
          },
  };
}

// Calls of this tool do not wait for others on the branch: it is for use while a command runs.
Tool run() {
  return {
      .name = "run",
      .title = "Run a program beside the shell",
      .description =
          "Runs a program beside the branch's shell, as docker exec does: no terminal, separate "
          "standard output and error, and the shell is not disturbed. Use it to inspect a branch "
          "while its shell is busy; to work in the shell itself, use exec_command. An exit code "
          "other than 0 is not a failure of this tool.",
      .hints = {.destructive = true, .open_world = true},
      .arguments = {session_argument(),
                    {.name = "argv",
                     .type = kTextList,
                     .description = "The program and its arguments, without a shell. "
                                    "[\"sh\", \"-c\", \"...\"] runs a command line.",
                     .required = true},
                    branch_argument(),
                    {.name = "input", .description = "The program's standard input."},
                    {.name = "env",
                     .type = kTextMap,
                     .description = "Variables, in addition to the session's."},
                    {.name = "cwd", .description = "Working directory. Default: the session's."},
                    {.name = "user", .description = "Run as this user. Default: the session's."},
                    timeout_argument("Time limit in milliseconds; 0: none."),
                    output_argument("Bytes to return: the head and tail of longer outputs.")},
      .output_schema = object_of({{"exit_code", whole_field("The program's.")},
                                  {"stdout", text_field("Its standard output.")},
                                  {"stderr", text_field("Its standard error.")},
                                  {"timed_out", flag_field("The program was killed.")},
                                  {"truncated", flag_field("The middle was left out.")},
                                  {"duration_us", whole_field("Microseconds.")},
                                  {"stdout_base64", text_field("If the output was not UTF-8.")},
                                  {"stderr_base64", text_field("If the output was not UTF-8.")}},
                                 {"duration_us", "stdout_base64", "stderr_base64"}),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        if (arguments.at("argv").empty())
          return invalid("the program is missing", "give argv, such as [\"ps\", \"aux\"]");
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/run",
                       .body = picked(arguments, {"argv", "input", "env", "cwd", "user",
                                                  "timeout_ms", "max_output"})};
      },
      .present =
          [](const Json&, const Json& answer) {
            return ToolResult{.text = run_text(answer), .structured = answer};
          },
  };
}

Tool snapshot() {
  return {
      .name = "snapshot",
      .title = "Take a snapshot",
      .description =
          "Saves the state of a branch as a new node of the session's tree: files, shell and "
          "running processes together. The branch is not disturbed. restore and fork accept the "
          "node's id or name.",
      .hints = {},
      .arguments = {session_argument(),
                    {.name = "name", .description = "A name for the node."},
                    branch_argument(),
                    {.name = "materialization",
                     .type = kWord,
                     .description = "physical saves the state itself, virtual only the commands. "
                                    "Default: the session's policy.",
                     .words = {"physical", "virtual"}},
                    {.name = "notes",
                     .type = kTextMap,
                     .description = "Notes on the node: a plan, a score."}},
      .output_schema = object_of({{"node", text_field("Handle of the new node.")},
                                  {"kind", text_field("physical or virtual.")},
                                  {"why", text_field("Why the node has this kind.")},
                                  {"unchanged", flag_field("Nothing changed since its parent.")},
                                  {"bytes", whole_field("Its size on disk.")},
                                  {"took_us", whole_field("Microseconds.")},
                                  {"fallback", or_null({{"type", "object"}},
                                                       "Why the node could not be physical; null "
                                                       "if it is, or was not to be.")}},
                                 {"why", "unchanged", "bytes", "took_us", "fallback"}),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/snapshot",
                       .body = picked(arguments, {"name", "materialization", "notes"})};
      },
      .present =
          [](const Json& arguments, const Json& answer) {
            return ToolResult{.text = snapshot_text(arguments, answer), .structured = answer};
          },
  };
}

Tool restore() {
  return {
      .name = "restore",
      .title = "Restore a node",
      .description =
          "Puts a branch back to a node: files, shell, processes. The branch's changes since its "
          "last snapshot are lost.",
      .hints = {.destructive = true, .idempotent = true},
      .arguments = {session_argument(),
                    {.name = "node",
                     .description = "Id or name of a node, HEAD (the branch's node) or "
                                    "HEAD~2 (two nodes up).",
                     .required = true},
                    branch_argument(),
                    divergence_argument()},
      .output_schema = object_of(
          {{"node", text_field("The branch's node now.")},
           {"replayed", whole_field("Number of replayed commands.")},
           {"took_us", whole_field("Microseconds.")},
           {"accepted", list_of({{"type", "object"}}, "Divergences that were accepted.")},
           {"unproven", text_field("Why the state may differ from the node's; or empty.")}},
          {"took_us", "accepted", "unproven"}),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/restore",
                       .body = picked(arguments, {"node", "on_divergence"})};
      },
      .present =
          [](const Json& arguments, const Json& answer) {
            return ToolResult{.text = restore_text(arguments, answer), .structured = answer};
          },
  };
}

ToolResult present_fork(const Json& arguments, const Json& answer) {
  bool any = false;
  for (const Json& one : answer.at("branches")) any = any || one.contains("branch");
  ToolResult result{.text = fork_text(arguments, answer), .failed = !any};
  if (any) result.structured = answer;
  return result;
}

Tool fork() {
  return {
      .name = "fork",
      .title = "Fork branches",
      .description =
          "Makes live branches from a node: each has its own copy of files, shell and processes, "
          "and all run in parallel. The forks do not have the branch's changes since its last "
          "snapshot: take a snapshot first.",
      .hints = {},
      .arguments = {session_argument(),
                    {.name = "node",
                     .description = "The node to fork: id, name, or HEAD~1.",
                     .fallback = Json("HEAD")},
                    {.name = "count",
                     .type = kWhole,
                     .description = "Number of branches. Default: one, or one for each name.",
                     .minimum = 1,
                     .maximum = kMaxForks},
                    {.name = "names",
                     .type = kTextList,
                     .description = "Names of the branches. Default: b1, b2, ..."},
                    branch_argument("HEAD in node is this branch's HEAD."),
                    divergence_argument()},
      .output_schema = object_of(
          {{"node", text_field("The node of the branches.")},
           {"branches",
            list_of(
                object_of(
                    {{"branch", text_field("Name, for the branch argument of other tools.")},
                     {"accepted", list_of({{"type", "object"}}, "Divergences that were accepted.")},
                     {"error",
                      {{"type", "object"}, {"description", "Why this branch could not be made."}}}},
                    {"branch", "accepted", "error"}),
                "One entry for each requested branch.")},
           {"unproven", text_field("Why the states may differ from the node's; or empty.")},
           {"took_us", whole_field("Microseconds.")}},
          {"unproven", "took_us"}),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/fork",
                       .body = picked(arguments, {"node", "count", "names", "on_divergence"})};
      },
      .present = present_fork,
  };
}

}  // namespace

std::vector<Tool> branch_tools() { return {exec_command(), run(), snapshot(), restore(), fork()}; }

}  // namespace sf::cli::mcp
