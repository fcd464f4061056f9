// JSON-RPC 2.0 with MCP's restrictions: ids are strings or whole numbers, params are objects. Size
// and depth are limited. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wire/json.h"

namespace sf::cli::mcp {

using wire::Json;

inline constexpr std::size_t kMaxMessage = 32U << 20U;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxBatch = 64;

enum class RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kUnsupportedVersion = -32022,  // defined by MCP
};

struct RpcError {
  RpcCode code = RpcCode::kInternalError;
  std::string message;
  Json data;  // null: none
};

struct Request {
  Json id;
  std::string method;
  Json params = Json::object();
};
struct Notification {
  std::string method;
  Json params = Json::object();
};
struct Malformed {
  Json id;  // null if it could not be read
  RpcError error;
};
struct Response {};  // ignored, since the server sends no requests

using Message = std::variant<Request, Notification, Malformed, Response>;

struct Incoming {
  std::vector<Message> messages;
  bool is_batch = false;
};

// Never fails: returns Malformed for anything that is not a message.
Incoming parse_message(std::string_view text);

// True for a string or a whole number: an id or a progress token.
bool is_request_id(const Json& json);

Json result_reply(const Json& id, Json result);
// Leaves out a null id, since MCP forbids it.
Json error_reply(const Json& id, const RpcError& error);
Json notification(const std::string& method, Json params);
// One line of UTF-8, without its line end.
std::string to_line(const Json& message);

}  // namespace sf::cli::mcp
