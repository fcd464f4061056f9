// Tool: the description of one MCP tool: its arguments, its output, its request to the daemon, and
// the text of the daemon's answer. Pure: CallRunner sends the request.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "mcp/tool_arguments.h"
#include "wire/json.h"

namespace sf::cli::mcp {

using wire::Json;

enum class Way {
  kJson,        // request and answer are JSON
  kReadBytes,   // the answer is bytes, kept unchanged in a JSON string
  kWriteBytes,  // the request is bytes
  kExecution,   // starts an execution and waits for it
};

// A request to the daemon.
struct ApiCall {
  std::string method;
  std::string path;
  Json body = Json::object();
  std::string bytes;  // kWriteBytes
};

struct ToolResult {
  std::string text;  // for the model
  Json structured;   // matches the tool's output schema; null on an error
  bool failed = false;
  Json problem;  // the error, for programs; null: none
};

struct Hints {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Hints hints;
  std::vector<Argument> arguments;
  Json output_schema;
  Way way = Way::kJson;
  // Calls on one branch are made in the order of their arrival: an agent may send write_file and
  // exec_command without waiting in between.
  bool takes_turns = false;
  // Both get checked arguments. `present` may throw the JSON library's exceptions when the answer
  // is not what the API promises.
  std::function<Result<ApiCall>(const Json& arguments)> request;
  std::function<ToolResult(const Json& arguments, const Json& answer)> present;
};

// In the order in which they are listed: always the same, so that clients can cache the list.
std::vector<Tool> all_tools();
std::vector<Tool> session_tools();
std::vector<Tool> branch_tools();
std::vector<Tool> file_tools();
std::vector<Tool> terminal_tools();

// For `tools/list`.
Json tool_to_json(const Tool& tool);
// For `tools/call`.
Json result_to_json(const ToolResult& result);
ToolResult failure(const Error& error);
// Calls with the same lane run one after another; empty: the call does not wait.
std::string lane_of(const Tool& tool, const Json& arguments);

// Arguments that many tools take.
Argument session_argument();
Argument branch_argument(std::string description = "Name of the branch, from fork.");
// Paths of the API.
std::string session_path(const Json& arguments);
std::string branch_path(const Json& arguments);
// The arguments in `names`, which have the same names in the API.
Json picked(const Json& arguments, const std::vector<std::string>& names);

}  // namespace sf::cli::mcp
