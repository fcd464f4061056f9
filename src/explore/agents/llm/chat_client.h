// ChatClient: brings a chat to a server and its whole answer back, asking again where that helps.
// Thread-safe. Errors never hold the key.
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

  // kBusy: the server is overloaded; kInvalidArgument: it refuses the request or the key;
  // kTimedOut; kCorrupt: its answers make no sense; kOs: it cannot be reached.
  // All attempts are added to `usage`: what was begun and broken off is paid for, too.
  Result<ChatAnswer> complete(const ChatRequest& chat, Usage& usage);

 private:
  struct Attempt;
  ChatClient(const LlmOptions& options, const ChatSettings& settings);
  // Waits for its turn first.
  Attempt attempt(const HttpRequest& request, Clock::time_point until);
  void charge(const HttpRequest& request, const ChatAnswer& answer, Usage& usage) const;
  // Says who was asked, and hides the key.
  Error about(Error error, int attempts) const;

  const LlmOptions options_;
  const std::string who_;  // "MODEL at URL"
  const std::string key_;
  std::unique_ptr<ChatProtocol> protocol_;
  HttpClient http_;
  RequestGate gate_;
};

}  // namespace sf::explore::llm
