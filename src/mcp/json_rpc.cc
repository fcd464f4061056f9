#include "mcp/json_rpc.h"

#include <utility>

namespace sf::cli::mcp {
namespace {

constexpr const char* kVersion = "2.0";

Incoming malformed(RpcCode code, std::string message) {
  return {.messages = {Malformed{nullptr, {code, std::move(message), nullptr}}}};
}

// Checked before parsing, since writing nested JSON recurses.
bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Message read_message(Json& json) {
  Json id;
  auto refuse = [&id](const char* message) {
    return Malformed{id, {RpcCode::kInvalidRequest, message, nullptr}};
  };
  if (!json.is_object()) return refuse("a message must be a JSON object");
  if (json.contains("id")) {
    if (!is_request_id(json["id"])) return refuse("\"id\" must be a string or a whole number");
    id = json["id"];
  }
  if (!json.contains("jsonrpc") || json["jsonrpc"] != kVersion)
    return refuse("\"jsonrpc\" must be \"2.0\"");
  bool has_method = json.contains("method");
  if (!has_method && (json.contains("result") || json.contains("error"))) return Response{};
  if (!has_method || !json["method"].is_string()) return refuse("\"method\" must be a string");
  auto method = json["method"].get<std::string>();
  Json params = json.contains("params") ? std::move(json["params"]) : Json::object();
  if (id.is_null()) return Notification{std::move(method), std::move(params)};
  if (!params.is_object())
    return Malformed{id, {RpcCode::kInvalidParams, "\"params\" must be an object", nullptr}};
  return Request{std::move(id), std::move(method), std::move(params)};
}

}  // namespace

bool is_request_id(const Json& json) { return json.is_string() || json.is_number_integer(); }

Incoming parse_message(std::string_view text) {
  if (text.size() > kMaxMessage)
    return malformed(RpcCode::kInvalidRequest,
                     "a message has at most " + std::to_string(kMaxMessage >> 20U) + " MiB");
  if (is_too_deep(text))
    return malformed(RpcCode::kInvalidRequest,
                     "a message is nested at most " + std::to_string(kMaxDepth) + " deep");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return malformed(RpcCode::kParseError, "this line is not JSON");
  Incoming incoming;
  if (!json.is_array()) {
    incoming.messages.push_back(read_message(json));
    return incoming;
  }
  if (json.empty() || json.size() > kMaxBatch)
    return malformed(RpcCode::kInvalidRequest,
                     "a batch has 1 to " + std::to_string(kMaxBatch) + " messages");
  incoming.is_batch = true;
  for (Json& one : json) incoming.messages.push_back(read_message(one));
  return incoming;
}

Json result_reply(const Json& id, Json result) {
  return {{"jsonrpc", kVersion}, {"id", id}, {"result", std::move(result)}};
}

Json error_reply(const Json& id, const RpcError& error) {
  Json body = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  Json reply = {{"jsonrpc", kVersion}, {"error", std::move(body)}};
  if (!id.is_null()) reply["id"] = id;
  return reply;
}

Json notification(const std::string& method, Json params) {
  return {{"jsonrpc", kVersion}, {"method", method}, {"params", std::move(params)}};
}

std::string to_line(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sf::cli::mcp
