#include "explore/agents/llm/llm_options.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace sf::explore::llm {
namespace {

struct Vendor {
  const char* key_variable;
  const char* url_variable;
  const char* url;
};

Vendor vendor_of(LlmApi api) {
  if (api == LlmApi::kAnthropic)
    return {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"};
  return {"OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"};
}

Status check_url(const std::string& url) {
  if (!url.starts_with("https://") && !url.starts_with("http://"))
    return invalid("the base URL must begin with https:// or http://");
  // Error messages show the URL, so it must not contain a secret.
  if (url.find('@') != std::string::npos)
    return invalid("the base URL must not hold a name or a password", "use the API key");
  return Ok{};
}

Status check_key(const std::string& key, const Vendor& vendor) {
  const bool is_one_line = std::ranges::all_of(
      key, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
  if (is_one_line) return Ok{};
  return invalid("the key holds a space or a line break",
                 std::string("check ") + vendor.key_variable);
}

Status check_numbers(const LlmOptions& options) {
  constexpr double kHottest = 2;
  if (options.temperature && !(*options.temperature >= 0 && *options.temperature <= kHottest))
    return invalid("the temperature must be from 0 to 2");
  if (!(options.prices.in >= 0 && options.prices.out >= 0))
    return invalid("a price must not be negative");
  if (options.retry.most_attempts < 1) return invalid("there must be at least one attempt");
  if (options.request_timeout <= milliseconds(0) || options.total_timeout <= milliseconds(0))
    return invalid("a time-out must be more than 0");
  return Ok{};
}

}  // namespace

Environment own_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

Result<LlmApi> api_from(const std::string& name, const Environment& environment) {
  if (name == "openai") return LlmApi::kOpenAi;
  if (name == "anthropic") return LlmApi::kAnthropic;
  if (!name.empty()) return invalid("unknown API \"" + name + "\"", "use openai or anthropic");
  auto has_key = [&](LlmApi api) { return !environment(vendor_of(api).key_variable).empty(); };
  const bool is_anthropic = has_key(LlmApi::kAnthropic) && !has_key(LlmApi::kOpenAi);
  return is_anthropic ? LlmApi::kAnthropic : LlmApi::kOpenAi;
}

Result<ChatSettings> settle(const LlmOptions& options, const Environment& environment) {
  const Vendor vendor = vendor_of(options.api);
  if (options.model.empty()) return invalid("no model is given");
  SF_TRY(check_numbers(options));
  ChatSettings settings;
  settings.model = options.model;
  settings.temperature = options.temperature;
  settings.max_tokens = options.max_tokens;
  settings.extra_body = options.extra_body;
  if (!nlohmann::json::parse(options.extra_body, nullptr, false).is_object())
    return invalid("the extra request body must be a JSON object");

  settings.base_url =
      options.base_url.empty() ? environment(vendor.url_variable) : options.base_url;
  if (settings.base_url.empty()) settings.base_url = vendor.url;
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  SF_TRY(check_url(settings.base_url));

  settings.key = options.key.empty() ? environment(vendor.key_variable) : options.key;
  SF_TRY(check_key(settings.key, vendor));
  if (settings.key.empty() && settings.base_url == vendor.url)
    return invalid(std::string(vendor.url) + " needs a key",
                   std::string("set ") + vendor.key_variable);
  return settings;
}

}  // namespace sf::explore::llm
