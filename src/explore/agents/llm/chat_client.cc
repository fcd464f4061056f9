#include "explore/agents/llm/chat_client.h"

#include <algorithm>

#include "explore/agents/llm/protocol_json.h"
#include "explore/agents/quote.h"

namespace sf::explore::llm {
namespace {

constexpr std::size_t kMaxAnswer = 16U << 20U;
constexpr std::size_t kMaxErrorBody = 64U << 10U;
constexpr int kOkStatus = 200;

// Collects the reply to one request as its bytes arrive.
class Incoming {
 public:
  explicit Incoming(std::unique_ptr<AnswerReader> reader) : reader_(std::move(reader)) {}

  // False: the rest is not needed.
  bool take(const HttpReply& reply, std::string_view bytes) {
    if (reply.status != kOkStatus || !reply.content_type.starts_with("text/event-stream")) {
      body_ += bytes.substr(0, kMaxErrorBody - std::min(body_.size(), kMaxErrorBody));
      return body_.size() < kMaxErrorBody;
    }
    received_ += bytes.size();
    broken_ = read(bytes);
    return broken_.ok();
  }

  const AnswerReader& reader() const { return *reader_; }
  const Status& broken() const { return broken_; }
  const std::string& body() const { return body_; }  // of a reply that is not an event stream
  std::size_t received() const { return received_; }

 private:
  Status read(std::string_view bytes) {
    if (received_ > kMaxAnswer) return fail(ErrorCode::kCorrupt, "the answer is too long");
    SF_TRY_ASSIGN(auto events, stream_.feed(bytes));
    for (const wire::ServerEvent& event : events) SF_TRY(reader_->take(event));
    return Ok{};
  }

  std::unique_ptr<AnswerReader> reader_;
  wire::EventStreamReader stream_{kMaxAnswer};
  Status broken_ = Ok{};
  std::string body_;
  std::size_t received_ = 0;
};

ErrorCode code_of(int status) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  const bool may_pass = status >= kServerErrors || status == kTooManyRequests;
  return may_pass ? ErrorCode::kBusy : ErrorCode::kInvalidArgument;
}

std::string hint_for(int status) {
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  constexpr int kNotFound = 404;
  if (status == kUnauthorized || status == kForbidden) return "check the API key";
  if (status == kNotFound) return "check the base URL and the model's name";
  return "";
}

Error refusal(int status, const std::optional<ServerProblem>& problem, std::string_view body) {
  std::string message = "HTTP status " + std::to_string(status);
  if (problem && !problem->type.empty()) message += ", " + problem->type;
  const std::string said = quote(problem ? problem->message : body);
  if (said != "''") message += ": " + said;
  return fail(code_of(status), std::move(message), hint_for(status));
}

Error senseless(const HttpReply& reply, std::string_view body) {
  const std::string type = reply.content_type.empty() ? "something" : reply.content_type;
  return fail(ErrorCode::kCorrupt,
              "answered with " + quote(type) + " instead of an event stream: " + quote(body));
}

Error cut_off(const HttpReply& reply, std::size_t received) {
  const std::string what = "the answer was cut off after " + std::to_string(received) + " bytes";
  if (reply.transfer.ok()) return fail(ErrorCode::kCorrupt, what);
  return Error(reply.transfer.error()).while_doing(what);
}

std::string without(const std::string& secret, std::string text) {
  constexpr std::string_view kInstead = "[key]";
  if (secret.empty()) return text;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kInstead.size())
    text.replace(at, secret.size(), kInstead);
  return text;
}

}  // namespace

struct ChatClient::Attempt {
  ChatAnswer answer;  // possibly incomplete
  Usage usage;
  std::optional<Error> error;
  FailedAttempt failed;
};

Result<std::unique_ptr<ChatClient>> ChatClient::create(const LlmOptions& options) {
  SF_TRY_ASSIGN(ChatSettings settings, settle(options, own_environment()));
  return std::unique_ptr<ChatClient>(new ChatClient(options, settings));
}

ChatClient::ChatClient(const LlmOptions& options, const ChatSettings& settings)
    : options_(options),
      who_(settings.model + " at " + settings.base_url),
      key_(settings.key),
      protocol_(options.api == LlmApi::kAnthropic ? make_anthropic_protocol(settings)
                                                  : make_openai_protocol(settings)),
      gate_(options.limits, options_.timing) {}

Result<ChatAnswer> ChatClient::complete(const ChatRequest& chat, Usage& usage) {
  const Timing& timing = options_.timing;
  const HttpRequest request = protocol_->request(chat);
  const Clock::time_point until = timing.now() + options_.total_timeout;
  for (int number = 1;; ++number) {
    Attempt made = attempt(request, until);
    usage += made.usage;
    if (!made.error) return std::move(made.answer);
    made.failed.number = number;
    const auto wait = wait_before_retry(options_.retry, made.failed, timing.jitter());
    if (!wait || timing.now() + *wait >= until) return about(std::move(*made.error), number);
    timing.sleep(*wait);
  }
}

ChatClient::Attempt ChatClient::attempt(const HttpRequest& request, Clock::time_point until) {
  Attempt made;
  const auto pass = gate_.enter(until);
  if (!pass) {
    made.error = pass.error();
    made.failed.is_final = true;
    return made;
  }
  const auto left = std::chrono::ceil<milliseconds>(until - options_.timing.now());
  const Stopwatch watch;
  Incoming incoming(protocol_->reader());
  const HttpReply reply = http_.post(
      request, std::min<milliseconds>(left, options_.request_timeout),
      [&](const HttpReply& head, std::string_view bytes) { return incoming.take(head, bytes); });
  made.answer = incoming.reader().answer();
  made.usage.model_time = watch.elapsed();
  if (incoming.received() > 0) charge(request, made.answer, made.usage);
  made.failed.status = reply.status;
  made.failed.retry_after = reply.retry_after;

  const std::string body = without(key_, incoming.body());
  if (incoming.reader().is_whole()) return made;  // ignore errors after the end marker
  if (!incoming.broken().ok()) {
    made.error = incoming.broken().error();
  } else if (reply.status == 0 && !reply.transfer.ok()) {
    made.error = reply.transfer.error();
  } else if (reply.status != kOkStatus) {
    const auto problem = problem_in(std::string_view(body));
    made.error = refusal(reply.status, problem, body);
    // Has the status of a rate limit, but the account is out of credit: waiting does not help.
    made.failed.is_final = problem && problem->type == "insufficient_quota";
  } else if (!body.empty()) {
    made.error = senseless(reply, body);
  } else {
    made.error = cut_off(reply, incoming.received());
  }
  return made;
}

void ChatClient::charge(const HttpRequest& request, const ChatAnswer& answer, Usage& usage) const {
  constexpr std::size_t kBytesPerToken = 4;  // estimate, if the server does not count
  const std::uint64_t in = answer.tokens_in.value_or(request.body.size() / kBytesPerToken);
  const std::uint64_t out = answer.tokens_out.value_or(answer.text.size() / kBytesPerToken);
  usage.model_calls += 1;
  usage.tokens_in += in;
  usage.tokens_out += out;
  usage.money += options_.prices.of(in, out);
}

Error ChatClient::about(Error error, int attempts) const {
  const std::string tries = attempts > 1 ? ", " + std::to_string(attempts) + " attempts" : "";
  error = std::move(error).while_doing("asking " + who_ + tries);
  error.message = without(key_, std::move(error.message));
  return error;
}

}  // namespace sf::explore::llm
