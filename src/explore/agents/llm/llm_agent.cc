#include "explore/agents/llm/llm_agent.h"

#include <utility>

#include "explore/agents/llm/chat_client.h"
#include "explore/agents/llm/model_reply.h"
#include "explore/agents/llm/prompts.h"
#include "explore/agents/llm/situation_text.h"
#include "explore/agents/quote.h"

namespace sf::explore {
namespace {

using llm::ChatMessage;

constexpr const char* kActionForm = R"({"thought": "...", "command": "...", "done": false})";
constexpr const char* kJudgementForm = R"({"value": 0.5, "reflection": "..."})";
constexpr const char* kChoiceForm = R"({"choice": 1})";

std::string correction(const std::string& why, bool is_cut, const std::string& form) {
  std::string text = "Your reply cannot be used: " + why + ".";
  if (is_cut) text += " It was cut off because it was too long. Be brief.";
  return text + " Answer again with nothing but one JSON object of this form: " + form;
}

// Some APIs reject an empty message.
std::string as_message(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos ? "(nothing)" : text;
}

class LlmAgent final : public Agent {
 public:
  LlmAgent(const LlmOptions& options, llm::Prompts prompts, std::unique_ptr<llm::ChatClient> client)
      : history_bytes_(options.history_bytes),
        prompts_(std::move(prompts)),
        client_(std::move(client)) {}

  Result<Action> propose(const Situation& situation, Usage& usage) override {
    llm::PromptValues values = values_at(situation);
    values["siblings"] = llm::siblings_text(situation, history_bytes_ / 2);
    return ask(prompts_.propose, values, kActionForm, llm::parse_action, usage);
  }

  Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) override {
    llm::PromptValues values = values_at(before);
    values["step"] = llm::step_text(turn, history_bytes_ / 4);
    SF_TRY_ASSIGN(auto judged,
                  ask(prompts_.assess, values, kJudgementForm, llm::parse_judgement, usage));
    return Assessment{judged.value, std::move(judged.reflection)};
  }

  Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                             Usage& usage) override {
    if (candidates.size() == 1) return std::size_t{0};
    llm::PromptValues values = values_at(before);
    values["candidates"] = llm::candidates_text(candidates, history_bytes_ / 2);
    auto parse = [&](std::string_view reply) {
      return llm::parse_choice(reply, candidates.size());
    };
    return ask(prompts_.choose, values, kChoiceForm, parse, usage);
  }

 private:
  llm::PromptValues values_at(const Situation& situation) const {
    return {{"instruction", situation.instruction},
            {"history", llm::path_text(situation.path, history_bytes_)}};
  }

  // If the reply cannot be used, the model gets one more try, with the reason.
  template <typename Parse>
  auto ask(const llm::Prompt& prompt, const llm::PromptValues& values, const char* form,
           const Parse& parse, Usage& usage) -> decltype(parse(std::string_view())) {
    llm::ChatRequest chat{llm::fill_in(prompt.system, values),
                          {{ChatMessage::Role::kUser, llm::fill_in(prompt.user, values)}}};
    for (bool is_first = true;; is_first = false) {
      SF_TRY_ASSIGN(const llm::ChatAnswer answer, client_->complete(chat, usage));
      auto meaning = parse(answer.text);
      if (meaning) return meaning;
      if (!is_first) return unusable(meaning.error().message, answer);
      chat.messages.push_back({ChatMessage::Role::kAssistant, as_message(answer.text)});
      chat.messages.push_back(
          {ChatMessage::Role::kUser, correction(meaning.error().message, answer.is_cut, form)});
    }
  }

  static Error unusable(const std::string& why, const llm::ChatAnswer& answer) {
    return fail(ErrorCode::kCorrupt,
                "the model's reply cannot be used after a second try: " + why + ": " +
                    quote(answer.text) +
                    (answer.stop_reason.empty() ? "" : " (" + answer.stop_reason + ")"),
                answer.is_cut ? "allow more tokens for an answer" : "");
  }

  const std::size_t history_bytes_;
  const llm::Prompts prompts_;
  const std::unique_ptr<llm::ChatClient> client_;
};

}  // namespace

Result<std::unique_ptr<Agent>> make_llm_agent(const LlmOptions& options) {
  SF_TRY_ASSIGN(llm::Prompts prompts, llm::load_prompts(options.prompts_dir));
  SF_TRY_ASSIGN(auto client, llm::ChatClient::create(options));
  return std::unique_ptr<Agent>(
      std::make_unique<LlmAgent>(options, std::move(prompts), std::move(client)));
}

}  // namespace sf::explore
