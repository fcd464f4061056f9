// The conversation of an MCP client, with any lines. Every answer is one line of JSON, and every
// accepted call is completed.
#include <algorithm>

#include "base/split.h"
#include "input.h"
#include "mcp/protocol.h"

namespace sf::fuzz {
namespace {

using namespace cli::mcp;  // NOLINT: the only namespace of this file

void check_line(const std::string& line) {
  SF_CHECK(line.find('\n') == std::string::npos);
  Json json = Json::parse(line, nullptr, false);
  SF_CHECK(json.is_object() || json.is_array());
}

}  // namespace

void mcp_protocol(std::string_view input) {
  static const std::vector<Tool> kTools = all_tools();
  Input in(input);
  const bool at_once = in.flag();
  Protocol protocol(kTools, "0");
  std::vector<Ticket> open;
  auto finish = [&](Ticket ticket) {
    if (auto line = protocol.progress(ticket, 1, "on its way")) check_line(*line);
    if (auto line = protocol.finish(ticket, {.text = "done", .structured = Json::object()}))
      check_line(*line);
  };
  for (const std::string& line : split(in.rest(), '\n')) {
    Reaction reaction = protocol.receive(line);
    for (const std::string& sent : reaction.lines) check_line(sent);
    for (const ToolCall& call : reaction.calls) {
      SF_CHECK(call.tool != nullptr && call.arguments.is_object());
      open.push_back(call.ticket);
    }
    SF_CHECK(open.size() <= Protocol::kMaxCalls + reaction.cancelled.size());
    for (Ticket ticket : reaction.cancelled) {
      SF_CHECK(std::erase(open, ticket) == 1);
      SF_CHECK(!protocol.finish(ticket, {.text = "too late"}));
    }
    if (!at_once) continue;
    for (Ticket ticket : open) finish(ticket);
    open.clear();
  }
  for (Ticket ticket : open) finish(ticket);
  SF_CHECK(!protocol.wants_progress());
}

}  // namespace sf::fuzz
