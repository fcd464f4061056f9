// HttpConnection: requests to the daemon over one Unix socket, one after the other.
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
  std::string headers;  // each with its line end
  std::string body;
};

struct HttpExchange {
  enum class End {
    kAnswered,
    // The daemon closed the connection before it had read the whole request: nothing was done.
    kNotTaken,
    kNotRead,  // for a minute, by a daemon that keeps the connection open
    kBroken,   // it may have been done or not
    kMalformed,
    kStopped,  // `take` had enough
  };
  End end = End::kBroken;
  int status = 0;  // 0: none came
  bool keeps_connection = false;
};

class HttpConnection {
 public:
  explicit HttpConnection(os::UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // `take` gets the body as it comes, with the status; false ends the call.
  // `patience`: how long the daemon may be silent.
  using TakeBody = std::function<bool(int status, std::string_view piece)>;
  HttpExchange call(const HttpRequest& request, seconds patience, const TakeBody& take);

 private:
  enum class Sent { kAll, kPart, kNotRead };
  Sent send(std::string_view bytes) const;
  bool has_read_request() const;

  os::UniqueFd socket_;
};

}  // namespace sf::client
