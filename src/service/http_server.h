// Server: HTTP/1.1 around a Router, on a listening socket. Limits the size of requests, the time
// for incomplete ones and the number of threads. Only http_server.cc uses the HTTP library.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "service/daemon_log.h"
#include "service/router.h"

namespace sf::service {

class Server {
 public:
  // If there is a token, only requests that carry it (`Authorization: Bearer TOKEN`) are served.
  // Requires: both references outlive the server.
  Server(const Router& router, DaemonLog& log, std::string token = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves until stop() was called and the running requests are answered.
  Status serve(os::UniqueFd listener);
  // May be called from any thread. Refuses new requests from now on. Waits until serve() has begun.
  void stop();

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace sf::service
