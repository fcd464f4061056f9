// Watches a command that runs in the daemon: its output as it comes, over broken connections, and
// its result.
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

// `path` is the execution's in the API. The result is that of `exec`; nothing when the gate was
// closed first. An Error: what kept the command from having a result, or kNotFound when the daemon
// (or a later one) does not know the execution any more.
Result<std::optional<wire::Json>> watch_execution(const ApiClient& client, const std::string& path,
                                                  ApiClient::Gate& gate,
                                                  const WatchCallbacks& callbacks);

}  // namespace sf::cli
