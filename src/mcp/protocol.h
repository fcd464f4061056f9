// Protocol: MCP as a state machine: takes lines, and returns lines to send and tool calls to run.
// Does no input or output. Pure.
//
// A client either calls `initialize` (revisions up to 2025-11-25) or names the revision in each
// request (2026-07-28). One stream may have both.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mcp/json_rpc.h"
#include "mcp/tool.h"

namespace sf::cli::mcp {

enum class Ticket : std::uint64_t {};  // identifies a tool call; never reused

struct ToolCall {
  Ticket ticket{};
  const Tool* tool = nullptr;  // lives as long as the Protocol
  Json arguments;              // after check_arguments()
  // Set when the client cancels the call. Shared with the Protocol.
  std::shared_ptr<std::atomic<bool>> cancelled;
};

struct Reaction {
  std::vector<std::string> lines;  // to send, in this order
  std::vector<ToolCall> calls;     // to run; each ends in finish()
  std::vector<Ticket> cancelled;   // calls that the client cancelled
};

class Protocol {  // Not thread-safe.
 public:
  static constexpr std::size_t kMaxCalls = 256;
  static constexpr std::size_t kMaxSubscriptions = 64;

  Protocol(std::vector<Tool> tools, std::string version);
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

  Reaction receive(std::string_view line);
  // The reaction to a line longer than kMaxMessage.
  static Reaction refuse_long_line();

  // Returns the line to send; nullopt after a cancellation, or if the batch is not complete.
  std::optional<std::string> finish(Ticket ticket, const ToolResult& result);
  // Returns nullopt if the client did not ask for progress. Requires: `done` grows with each call.
  std::optional<std::string> progress(Ticket ticket, double done, const std::string& message) const;
  // True if a client asked for the progress of a running call.
  bool wants_progress() const;

 private:
  // The replies to a batch are sent together, after the last call.
  struct Batch {
    Json replies = Json::array();
    std::size_t open = 1;  // 1 for the reader of the batch
  };
  using BatchPtr = std::shared_ptr<Batch>;  // null: no batch
  struct Pending {
    Json id;
    std::string revision;
    Json progress_token;  // null: none
    std::shared_ptr<std::atomic<bool>> cancelled;
    BatchPtr batch;
  };
  struct Later {};
  using Answer = std::variant<Json, RpcError, Later>;

  void handle(Message& message, const BatchPtr& batch, Reaction& reaction);
  Answer answer(Request& request, const BatchPtr& batch, Reaction& reaction);
  std::variant<std::string, RpcError> revision_of(const Request& request) const;
  Answer initialize(const Json& params, const BatchPtr& batch);
  Json discover() const;
  Answer list_tools(const Json& params, std::string_view revision) const;
  Answer call_tool(Request& request, const std::string& revision, const BatchPtr& batch,
                   Reaction& reaction);
  Answer listen(const Request& request, Reaction& reaction);
  void cancel(const Json& params, Reaction& reaction);
  bool is_in_use(const Json& id) const;
  Json decorated(Json result, std::string_view revision) const;
  Json server_info() const;

  static std::optional<std::string> reply(const BatchPtr& batch, Json message);
  static std::optional<std::string> close_one(Batch& batch);

  const std::vector<Tool> tools_;
  const std::string version_;
  std::string negotiated_;  // set by `initialize`; empty before
  std::map<Ticket, Pending> pending_;
  std::vector<Json> subscriptions_;  // their ids
  std::uint64_t last_ticket_ = 0;
};

}  // namespace sf::cli::mcp
