#include "mcp/protocol.h"

#include <algorithm>
#include <utility>

#include "mcp/revisions.h"

namespace sf::cli::mcp {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr const char* kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
constexpr std::size_t kShownName = 64;
constexpr std::uint64_t kFreshMs = 3'600'000;  // the tools change only with the program

constexpr const char* kInstructions =
    "StateFork sessions are Linux terminals that can be branched. Make one with session_create and "
    "run commands with exec_command. Take a snapshot before anything risky; restore brings files, "
    "shell and running processes back together. To try several ways at once, fork: each fork is a "
    "live branch of its own, named in the branch argument of the other tools. tree shows where the "
    "branches stand, diff what changed. Destroy sessions that are no longer needed.";

RpcError bad_params(std::string message) {
  return {RpcCode::kInvalidParams, std::move(message), nullptr};
}

Json capabilities() { return {{"tools", Json::object()}}; }

// Allows the client and proxies to cache this answer.
void mark_cacheable(Json& result) {
  result["ttlMs"] = kFreshMs;
  result["cacheScope"] = "public";
}

}  // namespace

Protocol::Protocol(std::vector<Tool> tools, std::string version)
    : tools_(std::move(tools)), version_(std::move(version)) {}

Reaction Protocol::refuse_long_line() {
  RpcError error{RpcCode::kInvalidRequest,
                 "a message has at most " + std::to_string(kMaxMessage >> 20U) + " MiB", nullptr};
  return {.lines = {to_line(error_reply(nullptr, error))}};
}

Reaction Protocol::receive(std::string_view line) {
  Reaction reaction;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return reaction;
  Incoming incoming = parse_message(line);
  if (incoming.is_batch && negotiated_ != kWithBatches) {
    RpcError error{RpcCode::kInvalidRequest,
                   "batches are part of revision " + std::string(kWithBatches) + " only", nullptr};
    reaction.lines.push_back(to_line(error_reply(nullptr, error)));
    return reaction;
  }
  BatchPtr batch = incoming.is_batch ? std::make_shared<Batch>() : nullptr;
  for (Message& message : incoming.messages) handle(message, batch, reaction);
  if (batch) {
    if (auto whole = close_one(*batch)) reaction.lines.push_back(std::move(*whole));
  }
  return reaction;
}

void Protocol::handle(Message& message, const BatchPtr& batch, Reaction& reaction) {
  auto send = [&](Json one) {
    if (batch) ++batch->open;
    if (auto line = reply(batch, std::move(one))) reaction.lines.push_back(std::move(*line));
  };
  if (auto* malformed = std::get_if<Malformed>(&message)) {
    send(error_reply(malformed->id, malformed->error));
  } else if (auto* told = std::get_if<Notification>(&message)) {
    if (told->method == "notifications/cancelled") cancel(told->params, reaction);
  } else if (auto* request = std::get_if<Request>(&message)) {
    const Json id = request->id;
    Answer given = answer(*request, batch, reaction);
    if (auto* result = std::get_if<Json>(&given)) send(result_reply(id, std::move(*result)));
    if (auto* error = std::get_if<RpcError>(&given)) send(error_reply(id, *error));
  }
}

Protocol::Answer Protocol::answer(Request& request, const BatchPtr& batch, Reaction& reaction) {
  if (is_in_use(request.id))
    return RpcError{RpcCode::kInvalidRequest, "this id belongs to an unfinished request", nullptr};
  auto known = revision_of(request);
  if (auto* error = std::get_if<RpcError>(&known)) return std::move(*error);
  const std::string revision = std::get<std::string>(known);
  const std::string& method = request.method;
  if (method == "tools/list") return list_tools(request.params, revision);
  if (method == "tools/call") return call_tool(request, revision, batch, reaction);
  if (is_stateless(revision)) {
    if (method == "server/discover") return discover();
    if (method == "subscriptions/listen" && !batch) return listen(request, reaction);
  } else {
    if (method == "initialize") return initialize(request.params, batch);
    if (method == "ping") return Json::object();
  }
  return RpcError{RpcCode::kMethodNotFound, "no method \"" + method.substr(0, kShownName) + "\"",
                  nullptr};
}

std::variant<std::string, RpcError> Protocol::revision_of(const Request& request) const {
  const Json meta = request.params.value("_meta", Json());
  if (!meta.is_null() && !meta.is_object()) return bad_params("\"_meta\" must be an object");
  if (!meta.is_object() || !meta.contains(kVersionKey)) {
    if (!negotiated_.empty()) return negotiated_;
    if (request.method == "initialize" || request.method == "ping")
      return std::string(kNewestWithHandshake);
    return bad_params(std::string("the request has no revision: give \"") + kVersionKey +
                      "\" in \"_meta\", or call `initialize` first");
  }
  if (!meta[kVersionKey].is_string())
    return bad_params(std::string("\"") + kVersionKey + "\" must be a string");
  auto revision = meta[kVersionKey].get<std::string>();
  if (!is_known_revision(revision))
    return RpcError{RpcCode::kUnsupportedVersion,
                    "Unsupported protocol version",
                    {{"supported", kRevisions}, {"requested", revision}}};
  bool needs_capabilities = is_stateless(revision);
  if (needs_capabilities &&
      !(meta.contains(kCapabilitiesKey) && meta[kCapabilitiesKey].is_object()))
    return bad_params(std::string("\"") + kCapabilitiesKey + "\" must be an object in \"_meta\"");
  return revision;
}

Protocol::Answer Protocol::initialize(const Json& params, const BatchPtr& batch) {
  if (batch)
    return RpcError{RpcCode::kInvalidRequest, "`initialize` cannot be part of a batch", nullptr};
  if (!params.contains("protocolVersion") || !params["protocolVersion"].is_string())
    return bad_params("\"protocolVersion\" must be a string");
  auto wanted = params["protocolVersion"].get<std::string>();
  bool possible = is_known_revision(wanted) && !is_stateless(wanted);
  negotiated_ = possible ? wanted : std::string(kNewestWithHandshake);
  return Json{{"protocolVersion", negotiated_},
              {"capabilities", capabilities()},
              {"serverInfo", server_info()},
              {"instructions", kInstructions}};
}

Json Protocol::discover() const {
  Json result = {{"supportedVersions", kRevisions},
                 {"capabilities", capabilities()},
                 {"instructions", kInstructions}};
  mark_cacheable(result);
  return decorated(std::move(result), kFirstStateless);
}

Protocol::Answer Protocol::list_tools(const Json& params, std::string_view revision) const {
  if (params.contains("cursor") && !params["cursor"].is_null())
    return bad_params("\"cursor\" is not valid: there is only one page");
  Json result = {{"tools", Json::array()}};
  for (const Tool& tool : tools_) result["tools"].push_back(tool_to_json(tool));
  if (is_stateless(revision)) mark_cacheable(result);
  return decorated(std::move(result), revision);
}

Protocol::Answer Protocol::call_tool(Request& request, const std::string& revision,
                                     const BatchPtr& batch, Reaction& reaction) {
  const Json& params = request.params;
  if (!params.contains("name") || !params["name"].is_string())
    return bad_params("\"name\" must be a string");
  auto name = params["name"].get<std::string>();
  auto tool =
      std::find_if(tools_.begin(), tools_.end(), [&](const Tool& one) { return one.name == name; });
  if (tool == tools_.end()) return bad_params("Unknown tool: " + name.substr(0, kShownName));
  Json given = params.value("arguments", Json());
  if (given.is_null()) given = Json::object();
  if (!given.is_object()) return bad_params("\"arguments\" must be an object");
  if (pending_.size() >= kMaxCalls)
    return RpcError{RpcCode::kInternalError,
                    "more than " + std::to_string(kMaxCalls) + " calls are running; wait for some",
                    nullptr};
  // Errors that the model can fix are returned as a result, which it reads. Protocol errors are for
  // the client.
  auto checked = check_arguments(tool->arguments, given);
  if (!checked) return decorated(result_to_json(failure(checked.error())), revision);

  Json meta = params.value("_meta", Json::object());
  if (meta.is_null()) meta = Json::object();
  Pending pending{.id = request.id,
                  .revision = revision,
                  .progress_token = meta.value("progressToken", Json()),
                  .cancelled = std::make_shared<std::atomic<bool>>(false),
                  .batch = batch};
  if (!is_request_id(pending.progress_token)) pending.progress_token = nullptr;
  Ticket ticket{++last_ticket_};
  reaction.calls.push_back({ticket, &*tool, std::move(*checked), pending.cancelled});
  if (batch) ++batch->open;
  pending_.emplace(ticket, std::move(pending));
  return Later{};
}

// Sends no notifications, since the tools never change. The subscription stays open until the
// client ends it.
Protocol::Answer Protocol::listen(const Request& request, Reaction& reaction) {
  if (!request.params.contains("notifications") || !request.params["notifications"].is_object())
    return bad_params("\"notifications\" must be an object");
  if (subscriptions_.size() >= kMaxSubscriptions)
    return RpcError{RpcCode::kInternalError,
                    "at most " + std::to_string(kMaxSubscriptions) + " subscriptions", nullptr};
  subscriptions_.push_back(request.id);
  Json params = {{"_meta", {{kSubscriptionKey, request.id}}}, {"notifications", Json::object()}};
  reaction.lines.push_back(
      to_line(notification("notifications/subscriptions/acknowledged", std::move(params))));
  return Later{};
}

void Protocol::cancel(const Json& params, Reaction& reaction) {
  if (!params.is_object() || !params.contains("requestId")) return;
  const Json& id = params["requestId"];
  std::erase(subscriptions_, id);
  auto found = std::find_if(pending_.begin(), pending_.end(),
                            [&](const auto& one) { return one.second.id == id; });
  if (found == pending_.end()) return;  // it may have been answered before
  found->second.cancelled->store(true);
  reaction.cancelled.push_back(found->first);
  BatchPtr batch = std::move(found->second.batch);
  pending_.erase(found);
  if (!batch) return;
  if (auto whole = close_one(*batch)) reaction.lines.push_back(std::move(*whole));
}

std::optional<std::string> Protocol::finish(Ticket ticket, const ToolResult& result) {
  auto found = pending_.find(ticket);
  if (found == pending_.end()) return std::nullopt;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  Json answer = decorated(result_to_json(result), pending.revision);
  return reply(pending.batch, result_reply(pending.id, std::move(answer)));
}

std::optional<std::string> Protocol::progress(Ticket ticket, double done,
                                              const std::string& message) const {
  auto found = pending_.find(ticket);
  if (found == pending_.end() || found->second.progress_token.is_null()) return std::nullopt;
  return to_line(notification(
      "notifications/progress",
      {{"progressToken", found->second.progress_token}, {"progress", done}, {"message", message}}));
}

bool Protocol::wants_progress() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const auto& one) { return !one.second.progress_token.is_null(); });
}

bool Protocol::is_in_use(const Json& id) const {
  return std::find(subscriptions_.begin(), subscriptions_.end(), id) != subscriptions_.end() ||
         std::any_of(pending_.begin(), pending_.end(),
                     [&](const auto& one) { return one.second.id == id; });
}

// In revisions without a handshake, every result has its type and the server's name.
Json Protocol::decorated(Json result, std::string_view revision) const {
  if (!is_stateless(revision)) return result;
  result["resultType"] = "complete";
  result["_meta"][kServerInfoKey] = server_info();
  return result;
}

Json Protocol::server_info() const {
  return {{"name", "statefork"}, {"title", "StateFork"}, {"version", version_}};
}

std::optional<std::string> Protocol::reply(const BatchPtr& batch, Json message) {
  if (!batch) return to_line(message);
  batch->replies.push_back(std::move(message));
  return close_one(*batch);
}

std::optional<std::string> Protocol::close_one(Batch& batch) {
  if (--batch.open > 0 || batch.replies.empty()) return std::nullopt;
  return to_line(batch.replies);
}

}  // namespace sf::cli::mcp
