// The Chat Completions API of OpenAI, which many other servers implement.
#include "explore/agents/llm/protocol_json.h"

namespace sf::explore::llm {
namespace {

using Json = nlohmann::json;

class OpenAiReader final : public AnswerReader {
 public:
  Status take(const wire::ServerEvent& event) override {
    if (event.data == "[DONE]") {
      is_whole_ = true;
      return Ok{};
    }
    SF_TRY_ASSIGN(const Json chunk, event_object(event));
    try {
      // The last chunk has the usage and no choice. Some servers report the usage in every chunk.
      for (const Json& choice : chunk.value("choices", Json::array())) take_choice(choice);
      if (auto usage = chunk.find("usage"); usage != chunk.end() && usage->is_object()) {
        answer_.tokens_in = count_in(*usage, "prompt_tokens");
        answer_.tokens_out = count_in(*usage, "completion_tokens");
      }
    } catch (const Json::exception&) {
      return senseless_event(event, "is not part of a chat completion");
    }
    return Ok{};
  }

 private:
  void take_choice(const Json& choice) {
    if (auto delta = choice.find("delta"); delta != choice.end() && delta->is_object()) {
      if (auto text = delta->find("content"); text != delta->end() && !text->is_null())
        answer_.text += text->get<std::string>();
    }
    if (auto reason = choice.find("finish_reason"); reason != choice.end() && !reason->is_null()) {
      answer_.stop_reason = reason->get<std::string>();
      answer_.is_cut = answer_.stop_reason == "length";
    }
  }
};

class OpenAiProtocol final : public ChatProtocol {
 public:
  explicit OpenAiProtocol(ChatSettings settings) : settings_(std::move(settings)) {}

  HttpRequest request(const ChatRequest& chat) const override {
    Json messages = Json::array({{{"role", "system"}, {"content", chat.system}}});
    for (const ChatMessage& message : chat.messages) messages.push_back(message_json(message));
    HttpRequest request{settings_.base_url + "/chat/completions",
                        {"content-type: application/json"},
                        finished_body({{"messages", std::move(messages)},
                                       {"stream_options", {{"include_usage", true}}}},
                                      settings_)};
    if (!settings_.key.empty()) request.headers.push_back("authorization: Bearer " + settings_.key);
    return request;
  }
  std::unique_ptr<AnswerReader> reader() const override { return std::make_unique<OpenAiReader>(); }

 private:
  ChatSettings settings_;
};

}  // namespace

std::unique_ptr<ChatProtocol> make_openai_protocol(ChatSettings settings) {
  return std::make_unique<OpenAiProtocol>(std::move(settings));
}

}  // namespace sf::explore::llm
