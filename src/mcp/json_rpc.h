// JSON-RPC 2.0 as MCP narrows it: ids are strings or whole numbers, params are objects. Strict and
// bounded. Pure.
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
  kUnsupportedVersion = -32022,  // MCP's own
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
  Json id;  // null when it could not be read
  RpcError error;
};
struct Response {};  // to a request; we never send one

using Message = std::variant<Request, Notification, Malformed, Response>;

struct Incoming {
  std::vector<Message> messages;
  bool is_batch = false;
};

// Never fails: what makes no sense is a Malformed.
Incoming parse_message(std::string_view text);

// A string or a whole number: an id, or a progress token.
bool is_request_id(const Json& json);

Json result_reply(const Json& id, Json result);
// An id of null is left out, since MCP forbids it.
Json error_reply(const Json& id, const RpcError& error);
Json notification(const std::string& method, Json params);
// One line of UTF-8, without its line end.
std::string to_line(const Json& message);

}  // namespace sf::cli::mcp
