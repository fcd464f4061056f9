// Watches an execution: streams its output, reconnects after a broken connection, returns its
// result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/api_client.h"
#include "wire/json.h"

namespace sf::cli {

using client::ApiClient;

struct WatchCallbacks {
  std::function<void(std::string_view)> on_output;  // text, or the terminal's bytes
  std::function<void()> on_gap;                     // output before this is no longer kept
};

// `path` is the execution's path in the API. Returns the result of `exec`, or nullopt if the gate
// was closed first. Fails with the command's error, or with kNotFound if the daemon (or a later
// one) does not know the execution.
Result<std::optional<wire::Json>> watch_execution(const ApiClient& client, const std::string& path,
                                                  ApiClient::Gate& gate,
                                                  const WatchCallbacks& callbacks);

}  // namespace sf::cli
