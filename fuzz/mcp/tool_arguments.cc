// Arguments of tools: rejected with a hint, or accepted. Accepted arguments make a valid request
// and pass the check again.
#include "mcp/tool_arguments.h"

#include "input.h"
#include "mcp/tool.h"

namespace sf::fuzz {

void tool_arguments(std::string_view input) {
  using namespace cli::mcp;  // NOLINT: the only namespace of this file
  static const std::vector<Tool> kTools = all_tools();
  Input in(input);
  const Tool& tool = kTools[in.byte() % kTools.size()];
  Json given = Json::parse(in.rest(), nullptr, false);
  if (!given.is_object()) return;
  auto checked = check_arguments(tool.arguments, given);
  if (!checked) {
    check_clear(checked.error(), ErrorCode::kInvalidArgument);
    SF_CHECK(!checked.error().hint.empty());
    return;
  }
  SF_CHECK(check_arguments(tool.arguments, *checked).value() == *checked);
  auto call = tool.request(*checked);
  if (!call) return check_clear(call.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(call->path.starts_with("/v1/"));
  SF_CHECK(call->path.find_first_of("# \n") == std::string::npos);
  (void)lane_of(tool, *checked);
}

}  // namespace sf::fuzz
