// Tool: one thing that an agent can ask for: what it takes, what it gives, how it is put to the
// daemon, and how the daemon's answer reads. Pure: sending is somebody else's work.
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
  kJson,        // JSON there and back
  kReadBytes,   // the answer is bytes: a JSON string that holds them as they are
  kWriteBytes,  // the request is bytes
  kExecution,   // starts something that is waited for
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
  Json structured;   // as the tool's output schema says; null when it failed
  bool failed = false;
  Json problem;  // what failed, for programs; null: nothing
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
  // Calls on one branch are made in the order they came: an agent that writes a file and runs it at
  // once means this order.
  bool takes_turns = false;
  // Both take checked arguments. `present` may throw the JSON library's exceptions when the answer
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

// As `tools/list` has it.
Json tool_to_json(const Tool& tool);
// As `tools/call` answers.
Json result_to_json(const ToolResult& result);
ToolResult failure(const Error& error);
// Calls with the same lane wait for each other; empty: for nobody.
std::string lane_of(const Tool& tool, const Json& arguments);

// Arguments that many tools take.
Argument session_argument();
Argument branch_argument(std::string description = "The branch, as fork named it.");
// Paths of the API.
std::string session_path(const Json& arguments);
std::string branch_path(const Json& arguments);
// Those of the arguments that the API calls by the same name.
Json picked(const Json& arguments, const std::vector<std::string>& names);

}  // namespace sf::cli::mcp
