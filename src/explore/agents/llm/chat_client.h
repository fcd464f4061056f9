// ChatClient: sends a chat to a server, returns the whole answer, and retries after temporary
// failures.
// Thread-safe. Errors never contain the key.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "explore/agents/llm/chat.h"
#include "explore/agents/llm/chat_protocol.h"
#include "explore/agents/llm/http_client.h"
#include "explore/agents/llm/llm_options.h"
#include "explore/agents/llm/request_gate.h"
#include "explore/search_tree.h"

namespace sf::explore::llm {

class ChatClient {
 public:
  static Result<std::unique_ptr<ChatClient>> create(const LlmOptions& options);
  ChatClient(const ChatClient&) = delete;
  ChatClient& operator=(const ChatClient&) = delete;

  // kBusy: the server is overloaded; kInvalidArgument: it rejects the request or the key;
  // kTimedOut; kCorrupt: its answers are malformed; kOs: it cannot be reached.
  // All attempts are added to `usage`: an interrupted answer is billed, too.
  Result<ChatAnswer> complete(const ChatRequest& chat, Usage& usage);

 private:
  struct Attempt;
  ChatClient(const LlmOptions& options, const ChatSettings& settings);
  // Waits until the request gate admits the request.
  Attempt attempt(const HttpRequest& request, Clock::time_point until);
  void charge(const HttpRequest& request, const ChatAnswer& answer, Usage& usage) const;
  // Adds the model and the server's URL, and masks the key.
  Error about(Error error, int attempts) const;

  const LlmOptions options_;
  const std::string who_;  // "MODEL at URL"
  const std::string key_;
  std::unique_ptr<ChatProtocol> protocol_;
  HttpClient http_;
  RequestGate gate_;
};

}  // namespace sf::explore::llm
