// EngineApi: the Docker Engine's HTTP interface on its Unix socket, as far as it is needed here.
// Podman's compatible socket speaks it, too. Thread-safe: one connection for each call.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::backends {

class EngineApi {
 public:
  using Query = std::map<std::string, std::string>;
  // The next piece of a body; nothing at its end.
  using Body = std::function<Result<std::optional<std::string>>()>;

  explicit EngineApi(std::string socket) : socket_(std::move(socket)) {}
  const std::string& socket() const { return socket_; }

  Result<wire::Json> get(const std::string& path, const Query& query = {}) const;
  Result<wire::Json> post(const std::string& path, const Query& query = {},
                          const wire::Json& body = {}) const;
  // Sends a tar archive; the engine answers with a line of JSON for each step.
  Result<wire::Json> upload(const std::string& path, const Query& query, const Body& body) const;
  // Succeeds on what is gone.
  Status remove(const std::string& path, const Query& query = {}) const;

 private:
  Result<wire::Json> send(const std::string& method, const std::string& path, const Query& query,
                          const wire::Json& body) const;
  std::string socket_;
};

}  // namespace sf::backends
