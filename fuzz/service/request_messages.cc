// Requests to the daemon: rejected with a reason, or within the limits that the API documents.
#include <nlohmann/json.hpp>

#include "input.h"
#include "service/json_messages.h"

namespace sf::fuzz {
namespace {

using namespace service;  // NOLINT: the only namespace of this file

// The value; nullopt for an error, which is checked.
template <typename T>
std::optional<T> accepted(Result<T> result) {
  if (result) return std::move(*result);
  check_clear(result.error(), ErrorCode::kInvalidArgument);
  return std::nullopt;
}

}  // namespace

void request_messages(std::string_view input) {
  constexpr auto kYear = std::chrono::hours(366 * 24);
  const Json body = Json::parse(input, nullptr, false);
  if (auto create = accepted(create_session_from(body))) {
    SF_CHECK(create->config.cpu_percent <= 1'000'000);
    SF_CHECK(create->terms.ttl.count() >= 0 && create->terms.idle.count() >= 0);
  }
  if (auto exec = accepted(exec_request_from(body))) {
    SF_CHECK(exec->timeout.count() >= 0 && exec->timeout <= kYear);
    SF_CHECK(exec->max_output <= kMaxOutput);
  }
  if (auto fork = accepted(fork_call_from(body))) {
    SF_CHECK(fork->request.count >= 1 && fork->request.count <= 256);
    SF_CHECK(fork->request.names.size() <= fork->request.count);
  }
  accepted(snapshot_request_from(body));
  accepted(restore_call_from(body));
  accepted(cleanup_call_from(body));
  accepted(window_size_from(body));
  accepted(input_from(body));
  accepted(node_change_from(body));
  accepted(session_change_from(body));
}

}  // namespace sf::fuzz
