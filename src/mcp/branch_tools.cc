// Tools that act on one live branch: exec_command, run, snapshot, restore, fork.
#include <utility>

#include "base/request_limits.h"
#include "mcp/output_schema.h"
#include "mcp/tool.h"
#include "mcp/tool_text.h"

namespace sf::cli::mcp {
namespace {

using enum ArgumentType;

// What a model can read; the daemon's own default is for programs.
constexpr std::uint64_t kReadableOutput = 64U << 10U;

Argument divergence_argument() {
  return {.name = "on_divergence",
          .type = kWord,
          .description =
              "When a command that must be replayed does something else than before: "
              "fail and change nothing, or accept.",
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
          "command. A command that exits with another code than 0 is no failure of this tool.",
      .hints = {.destructive = true, .open_world = true},
      .arguments = {session_argument(),
                    {.name = "command",
                     .description = "Anything bash takes, several lines too.",
                     .required = true},
                    branch_argument(),
                    timeout_argument("Milliseconds until it is interrupted; 0: never."),
                    output_argument("Bytes of output to return: of longer output, head and tail.")},
      .output_schema = object_of({{"exit_code", whole_field("As bash has it in $?.")},
                                  {"output", text_field("stdout and stderr, as on a terminal.")},
                                  {"timed_out", flag_field("It was interrupted.")},
                                  {"truncated", flag_field("The middle was left out.")},
                                  {"output_bytes", whole_field("All that it printed.")},
                                  {"duration_us", whole_field("Microseconds.")},
                                  {"background", text_field("Printed by jobs before it.")},
                                  {"shell_restarted", flag_field("It ended the shell.")},
                                  {"left_background", flag_field("It left processes running.")},
                                  {"output_base64", text_field("When it was no UTF-8.")}},
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

// Calls of it do not wait for others on the branch: it is there to look and help while a command
// runs.
Tool run() {
  return {
      .name = "run",
      .title = "Run a program beside the shell",
      .description =
          "Runs a program beside the branch's shell, as docker exec does: no terminal, standard "
          "output and error apart, and the shell goes on with what it does. Use it to look at a "
          "branch whose shell is busy; to work in the shell itself, use exec_command. A program "
          "that exits with another code than 0 is no failure of this tool.",
      .hints = {.destructive = true, .open_world = true},
      .arguments = {session_argument(),
                    {.name = "argv",
                     .type = kTextList,
                     .description = "The program and its arguments, as they are: no shell reads "
                                    "them. [\"sh\", \"-c\", \"...\"] runs a command line.",
                     .required = true},
                    branch_argument(),
                    {.name = "input", .description = "What it reads from standard input."},
                    {.name = "env",
                     .type = kTextMap,
                     .description = "Variables for it, beside the session's."},
                    {.name = "cwd", .description = "Where it runs. Default: the session's."},
                    {.name = "user", .description = "Who runs it. Default: the session's user."},
                    timeout_argument("Milliseconds until it is killed; 0: never."),
                    output_argument("Bytes of each output to return: of more, head and tail.")},
      .output_schema = object_of({{"exit_code", whole_field("The program's.")},
                                  {"stdout", text_field("Its standard output.")},
                                  {"stderr", text_field("Its standard error.")},
                                  {"timed_out", flag_field("It was killed.")},
                                  {"truncated", flag_field("The middle was left out.")},
                                  {"duration_us", whole_field("Microseconds.")},
                                  {"stdout_base64", text_field("When it was no UTF-8.")},
                                  {"stderr_base64", text_field("When it was no UTF-8.")}},
                                 {"duration_us", "stdout_base64", "stderr_base64"}),
      .request = [](const Json& arguments) -> Result<ApiCall> {
        if (arguments.at("argv").empty())
          return invalid("there is no program to run", "argv: [\"ps\", \"aux\"]");
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
          "Names this point of a branch as a new node of the session's tree: files, shell and "
          "running processes together. The branch runs on undisturbed. restore and fork take the "
          "node's id or name.",
      .hints = {},
      .arguments = {session_argument(),
                    {.name = "name", .description = "A name to call the node by."},
                    branch_argument(),
                    {.name = "materialization",
                     .type = kWord,
                     .description = "physical keeps the whole state, virtual the commands only. "
                                    "Default: the session's policy decides.",
                     .words = {"physical", "virtual"}},
                    {.name = "notes",
                     .type = kTextMap,
                     .description = "Kept with the node, for you: a plan, a score."}},
      .output_schema =
          object_of({{"node", text_field("Handle of the new node.")},
                     {"kind", text_field("physical or virtual.")},
                     {"why", text_field("Why it is of this kind.")},
                     {"unchanged", flag_field("Nothing changed since the snapshot before.")},
                     {"bytes", whole_field("What it keeps on disk.")},
                     {"took_us", whole_field("Microseconds.")},
                     {"fallback", or_null({{"type", "object"}},
                                          "Why the state could not be kept; null: it "
                                          "was, or nobody asked.")}},
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
      .title = "Go back to a node",
      .description =
          "Brings a branch back to a node exactly as it was: files, shell, processes. What the "
          "branch did since is lost unless a snapshot holds it.",
      .hints = {.destructive = true, .idempotent = true},
      .arguments = {session_argument(),
                    {.name = "node",
                     .description = "Id or name of a node, HEAD (where the branch stands) or "
                                    "HEAD~2 (two nodes up).",
                     .required = true},
                    branch_argument(),
                    divergence_argument()},
      .output_schema = object_of(
          {{"node", text_field("Where the branch stands now.")},
           {"replayed", whole_field("Commands that were run again.")},
           {"took_us", whole_field("Microseconds.")},
           {"accepted", list_of({{"type", "object"}}, "Divergences that were accepted.")},
           {"unproven", text_field("Why the state is not proven to be the node's; or empty.")}},
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
          "Makes live branches of a session at a node: each has its own copy of files, shell and "
          "processes and runs beside the others. What the branch did since its last snapshot is "
          "not in the forks: take a snapshot first.",
      .hints = {},
      .arguments = {session_argument(),
                    {.name = "node",
                     .description = "Where they begin: id or name of a node, or HEAD~1.",
                     .fallback = Json("HEAD")},
                    {.name = "count",
                     .type = kWhole,
                     .description = "How many. Default: one, or one for each name.",
                     .minimum = 1,
                     .maximum = kMaxForks},
                    {.name = "names",
                     .type = kTextList,
                     .description = "Names of the branches; those without one get b1, b2, ..."},
                    branch_argument("The branch whose HEAD is meant in node."),
                    divergence_argument()},
      .output_schema = object_of(
          {{"node", text_field("Where they stand.")},
           {"branches",
            list_of(
                object_of(
                    {{"branch", text_field("Name, for the branch argument of tools.")},
                     {"accepted", list_of({{"type", "object"}}, "Divergences that were accepted.")},
                     {"error",
                      {{"type", "object"}, {"description", "Why this one is not there."}}}},
                    {"branch", "accepted", "error"}),
                "One entry for each that was asked for.")},
           {"unproven", text_field("Why the states are not proven to be the node's; or empty.")},
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
