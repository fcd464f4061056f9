// ApiClient: the daemon's API from the other side: JSON there and back over its Unix socket. A
// problem that the daemon reports comes back as the Error it was.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/json.h"

namespace sf::cli {

class ApiClient {  // Thread-safe; one connection for each call.
 public:
  explicit ApiClient(std::string socket_path) : socket_path_(std::move(socket_path)) {}

  Result<wire::Json> get(const std::string& path) const;
  Result<wire::Json> remove(const std::string& path) const;
  Result<wire::Json> post(const std::string& path, const wire::Json& body) const;

 private:
  Result<wire::Json> call(const std::string& method, const std::string& path,
                          std::string body) const;

  std::string socket_path_;
};

// One part of a path, whatever it holds.
std::string path_part(std::string_view text);

}  // namespace sf::cli
