// HttpConnection: sends requests to the daemon over one Unix socket, one at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::client {

struct HttpRequest {
  std::string method;
  std::string path;
  std::string headers;  // each one ends with "\r\n"
  std::string body;
};

struct HttpExchange {
  enum class End {
    kAnswered,
    // The daemon closed the connection before it had read the whole request, so it did nothing.
    kNotTaken,
    kNotRead,  // the daemon keeps the connection open, but did not read the request for a minute
    kBroken,   // the daemon may or may not have served the request
    kMalformed,
    kStopped,  // `take` returned false
  };
  End end = End::kBroken;
  int status = 0;  // 0: the reply had none
  bool keeps_connection = false;
};

class HttpConnection {
 public:
  explicit HttpConnection(os::UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // Passes each piece of the body, with the status, to `take`; if `take` returns false, the call
  // ends. `patience`: how long the daemon may be silent.
  using TakeBody = std::function<bool(int status, std::string_view piece)>;
  HttpExchange call(const HttpRequest& request, seconds patience, const TakeBody& take);

 private:
  enum class Sent { kAll, kPart, kNotRead };
  Sent send(std::string_view bytes) const;
  bool has_read_request() const;

  os::UniqueFd socket_;
};

}  // namespace sf::client
