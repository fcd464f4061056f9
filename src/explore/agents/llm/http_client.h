// HttpClient: posts to a server and hands on its answer as it comes. libcurl stops here
// (docs/decisions/0010-libcurl.md). Thread-safe; connections are kept for the next request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::explore::llm {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "name: value"
  std::string body;
};

struct HttpReply {
  int status = 0;  // 0: none came
  std::string content_type;
  std::optional<milliseconds> retry_after;
  Status transfer = Ok{};  // why the body did not come to its end
};

class HttpClient {
 public:
  // Is given the body piece by piece, once its status and type are known. False ends the transfer.
  using OnBody = std::function<bool(const HttpReply&, std::string_view)>;

  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `limit`: from the first look-up of a name to the last byte. Redirects are not followed: the
  // headers hold a key.
  HttpReply post(const HttpRequest& request, milliseconds limit, const OnBody& on_body) const;

 private:
  class Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace sf::explore::llm
