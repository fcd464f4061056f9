// JSON-RPC messages: a request, a notification, an answer, or an error that can be sent.
#include "mcp/json_rpc.h"

#include "input.h"

namespace sf::fuzz {
namespace {

using namespace cli::mcp;  // NOLINT: the only namespace of this file

void check_line(const Json& message) {
  std::string line = to_line(message);
  SF_CHECK(line.find('\n') == std::string::npos);
  SF_CHECK(Json::parse(line, nullptr, false) == message);
}

}  // namespace

void json_rpc(std::string_view input) {
  Incoming incoming = parse_message(input);
  SF_CHECK(!incoming.messages.empty() && incoming.messages.size() <= kMaxBatch);
  SF_CHECK(incoming.is_batch || incoming.messages.size() == 1);
  for (const Message& message : incoming.messages) {
    if (const auto* request = std::get_if<Request>(&message)) {
      SF_CHECK(is_request_id(request->id) && request->params.is_object());
      check_line(result_reply(request->id, request->params));
    }
    if (const auto* told = std::get_if<Notification>(&message))
      check_line(notification(told->method, told->params));
    if (const auto* malformed = std::get_if<Malformed>(&message)) {
      SF_CHECK(!malformed->error.message.empty());
      check_line(error_reply(malformed->id, malformed->error));
    }
  }
}

}  // namespace sf::fuzz
