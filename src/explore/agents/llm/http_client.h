// HttpClient: sends POST requests and passes the reply on as it arrives. Hides libcurl
// (docs/decisions/0010-libcurl.md). Thread-safe. Connections are reused.
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
  int status = 0;  // 0: no reply
  std::string content_type;
  std::optional<milliseconds> retry_after;
  Status transfer = Ok{};  // why the transfer stopped early
};

class HttpClient {
 public:
  // Called with each piece of the body, after status and type are known. Return false to stop the
  // transfer.
  using OnBody = std::function<bool(const HttpReply&, std::string_view)>;

  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `limit`: from the name lookup to the last byte. Redirects are not followed, because the headers
  // contain a key.
  HttpReply post(const HttpRequest& request, milliseconds limit, const OnBody& on_body) const;

 private:
  class Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace sf::explore::llm
