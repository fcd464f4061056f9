// Server: HTTP/1.1 around a Router, on a listening socket. Bounded: sizes of requests, time for
// half ones, threads. The HTTP library stops in http_server.cc.
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
  // With a token, only requests that carry it (`Authorization: Bearer TOKEN`) are answered.
  // Requires: both outlive the server.
  Server(const Router& router, DaemonLog& log, std::string token = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves until stop() and until the requests that were running then are answered.
  Status serve(os::UniqueFd listener);
  // From any thread; takes no new requests from now on. Waits until serve() has begun.
  void stop();

 private:
  class Http;
  std::unique_ptr<Http> http_;
};

}  // namespace sf::service
