// DockerApi: the part of the Docker Engine's HTTP API that this backend needs, over its Unix
// socket. Podman's compatible socket supports it too. Thread-safe: one connection per call.
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

class DockerApi {
 public:
  using Query = std::map<std::string, std::string>;
  // The next piece of a body; nullopt at its end.
  using Body = std::function<Result<std::optional<std::string>>()>;

  explicit DockerApi(std::string socket) : socket_(std::move(socket)) {}
  const std::string& socket() const { return socket_; }

  Result<wire::Json> get(const std::string& path, const Query& query = {}) const;
  Result<wire::Json> post(const std::string& path, const Query& query = {},
                          const wire::Json& body = {}) const;
  // Sends a tar archive; the engine replies with one line of JSON per step.
  Result<wire::Json> upload(const std::string& path, const Query& query, const Body& body) const;
  // Succeeds if the object is already gone.
  Status remove(const std::string& path, const Query& query = {}) const;

 private:
  Result<wire::Json> send(const std::string& method, const std::string& path, const Query& query,
                          const wire::Json& body) const;
  std::string socket_;
};

}  // namespace sf::backends
