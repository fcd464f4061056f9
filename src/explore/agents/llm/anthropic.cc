// The Messages API of Anthropic.
#include "explore/agents/llm/protocol_json.h"

namespace sf::explore::llm {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxTokens = 4096;  // the API requires a limit

class AnthropicReader final : public AnswerReader {
 public:
  // The API documentation asks clients to ignore unknown kinds of events and content: pings, the
  // model's thinking, and future additions.
  Status take(const wire::ServerEvent& event) override {
    SF_TRY_ASSIGN(const Json data, event_object(event));
    try {
      const std::string type = data.at("type");
      if (type == "message_start") take_usage(data.at("message"));
      if (type == "content_block_delta" && data.at("delta").value("type", "") == "text_delta")
        answer_.text += data.at("delta").at("text").get<std::string>();
      if (type == "message_delta") {
        take_usage(data);
        if (const Json& delta = data.at("delta"); delta.value("stop_reason", Json()).is_string())
          answer_.stop_reason = delta.at("stop_reason");
        answer_.is_cut = answer_.stop_reason == "max_tokens";
      }
      if (type == "message_stop") is_whole_ = true;
    } catch (const Json::exception&) {
      return senseless_event(event, "is not part of a message");
    }
    return Ok{};
  }

 private:
  // The first event counts input tokens, the last one all output tokens. Cached tokens count as
  // input.
  void take_usage(const Json& holder) {
    const Json usage = holder.value("usage", Json());
    if (auto in = count_in(usage, "input_tokens"))
      answer_.tokens_in = *in + count_in(usage, "cache_creation_input_tokens").value_or(0) +
                          count_in(usage, "cache_read_input_tokens").value_or(0);
    if (auto out = count_in(usage, "output_tokens")) answer_.tokens_out = out;
  }
};

class AnthropicProtocol final : public ChatProtocol {
 public:
  explicit AnthropicProtocol(ChatSettings settings) : settings_(std::move(settings)) {}

  HttpRequest request(const ChatRequest& chat) const override {
    Json messages = Json::array();
    for (const ChatMessage& message : chat.messages) messages.push_back(message_json(message));
    HttpRequest request{settings_.base_url + "/v1/messages",
                        {"content-type: application/json", "anthropic-version: 2023-06-01"},
                        finished_body({{"system", chat.system},
                                       {"messages", std::move(messages)},
                                       {"max_tokens", kMaxTokens}},
                                      settings_)};
    if (!settings_.key.empty()) request.headers.push_back("x-api-key: " + settings_.key);
    return request;
  }
  std::unique_ptr<AnswerReader> reader() const override {
    return std::make_unique<AnthropicReader>();
  }

 private:
  ChatSettings settings_;
};

}  // namespace

std::unique_ptr<ChatProtocol> make_anthropic_protocol(ChatSettings settings) {
  return std::make_unique<AnthropicProtocol>(std::move(settings));
}

}  // namespace sf::explore::llm
