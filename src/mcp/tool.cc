#include "mcp/tool.h"

#include <array>
#include <string_view>
#include <utility>

#include "client/api_client.h"
#include "wire/problem.h"

namespace sf::cli::mcp {
namespace {

constexpr const char* kMainBranch = "main";
constexpr const char* kProblemKey = "statefork/problem";

// Hints name commands of the command line; they are replaced by the names of tools.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWordsOfTools = {
    {{"`statefork ls`", "session_list"},
     {"`statefork new`", "session_create"},
     {"`statefork rm`", "session_destroy"},
     {"`statefork tree`", "tree"},
     {"`statefork log`", "tree"}}};

std::string in_words_of_tools(std::string hint) {
  for (const auto& [word, tool] : kWordsOfTools) {
    if (std::size_t at = hint.find(word); at != std::string::npos)
      hint.replace(at, word.size(), tool);
  }
  return hint;
}

}  // namespace

std::vector<Tool> all_tools() {
  std::vector<Tool> tools = session_tools();
  for (Tool& tool : branch_tools()) tools.push_back(std::move(tool));
  for (Tool& tool : file_tools()) tools.push_back(std::move(tool));
  for (Tool& tool : terminal_tools()) tools.push_back(std::move(tool));
  return tools;
}

Json tool_to_json(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", input_schema(tool.arguments)},
          {"outputSchema", tool.output_schema},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.hints.read_only},
            {"destructiveHint", tool.hints.destructive},
            {"idempotentHint", tool.hints.idempotent},
            {"openWorldHint", tool.hints.open_world}}}};
}

Json result_to_json(const ToolResult& result) {
  Json content = Json::array();
  content.push_back({{"type", "text"}, {"text", result.text}});
  Json json = {{"content", std::move(content)}, {"isError", result.failed}};
  if (!result.structured.is_null()) json["structuredContent"] = result.structured;
  if (!result.problem.is_null()) json["_meta"][kProblemKey] = result.problem;
  return json;
}

ToolResult failure(const Error& error) {
  std::string text = error.message;
  if (!error.hint.empty()) text += "\nhint: " + in_words_of_tools(error.hint);
  for (const auto& [key, value] : error.details) text += "\n" + key + ": " + value;
  return {.text = std::move(text), .failed = true, .problem = wire::problem_from_error(error)};
}

std::string lane_of(const Tool& tool, const Json& arguments) {
  if (!tool.takes_turns) return "";
  return arguments.value("session", "") + "/" + arguments.value("branch", kMainBranch);
}

Argument session_argument() {
  return {.name = "session",
          .description = "The session's id or name, from session_create or session_list.",
          .required = true};
}

Argument branch_argument(std::string description) {
  return {.name = "branch", .description = std::move(description), .fallback = Json(kMainBranch)};
}

std::string session_path(const Json& arguments) {
  return "/v1/sessions/" + client::path_part(arguments.value("session", ""));
}

std::string branch_path(const Json& arguments) {
  return session_path(arguments) + "/branches/" +
         client::path_part(arguments.value("branch", kMainBranch));
}

Json picked(const Json& arguments, const std::vector<std::string>& names) {
  Json body = Json::object();
  for (const std::string& name : names) {
    if (arguments.contains(name)) body[name] = arguments[name];
  }
  return body;
}

}  // namespace sf::cli::mcp
