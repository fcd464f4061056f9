// ChatProtocol: encodes a chat for one kind of API and decodes the answer from its event stream.
// Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "explore/agents/llm/chat.h"
#include "explore/agents/llm/http_client.h"
#include "wire/event_stream.h"

namespace sf::explore::llm {

struct ChatSettings {
  std::string base_url;
  std::string key;  // empty: the server needs none
  std::string model;
  std::optional<double> temperature;  // nullopt: the model's default
  std::optional<std::uint64_t> max_tokens;
  std::string extra_body = "{}";  // merged into each request (RFC 7396). Requires: a JSON object
};

// Reads one answer.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  // kCorrupt: the event is malformed; kBusy: it reports an error.
  virtual Status take(const wire::ServerEvent& event) = 0;
  // True after the API's end marker. An answer without it is incomplete.
  bool is_whole() const { return is_whole_; }
  const ChatAnswer& answer() const { return answer_; }

 protected:
  ChatAnswer answer_;
  bool is_whole_ = false;
};

class ChatProtocol {
 public:
  virtual ~ChatProtocol() = default;
  virtual HttpRequest request(const ChatRequest& chat) const = 0;
  virtual std::unique_ptr<AnswerReader> reader() const = 0;
};

std::unique_ptr<ChatProtocol> make_openai_protocol(ChatSettings settings);
std::unique_ptr<ChatProtocol> make_anthropic_protocol(ChatSettings settings);

}  // namespace sf::explore::llm
