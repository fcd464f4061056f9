// ApiClient: calls the daemon's API over its Unix socket. Bodies are JSON, files are bytes, events
// arrive as a stream. A problem that the daemon reports is returned as the daemon's own Error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "client/http_connection.h"
#include "os/fd.h"
#include "wire/event_stream.h"
#include "wire/json.h"

namespace sf::client {

class ApiClient {  // Thread-safe. Copies share their connection.
 public:
  // The daemon enforces each command's time limit, so the client needs none of its own.
  static constexpr seconds kForEver{400L * 24 * 3600};

  // Opens one connection per call.
  explicit ApiClient(std::string socket_path, seconds patience = kForEver);
  // Keeps one connection open between calls. For short-lived processes, since an open connection
  // occupies a thread of the daemon. Until the first reply has arrived, `connect_first` opens the
  // connections, and may start a daemon. After that reply the client never starts one.
  using Connect = std::function<Result<os::UniqueFd>()>;
  ApiClient(std::string socket_path, Connect connect_first);

  Result<wire::Json> get(const std::string& path) const;
  Result<wire::Json> remove(const std::string& path) const;
  Result<wire::Json> post(const std::string& path, const wire::Json& body) const;
  Result<wire::Json> patch(const std::string& path, const wire::Json& body) const;
  Result<std::string> get_bytes(const std::string& path) const;
  Result<wire::Json> put_bytes(const std::string& path, std::string bytes) const;

  // Passes the events of a stream to `take` until the stream ends, `take` fails, or the gate is
  // closed.
  class Gate;
  enum class StreamEnd { kDone, kClosed, kBroken };  // kBroken: the connection was lost
  Result<StreamEnd> events(const std::string& path, Gate& gate,
                           const std::function<Status(const wire::ServerEvent&)>& take) const;

 private:
  struct Connections;

  Result<HttpConnection> connection() const;
  Result<HttpExchange> exchange(const HttpRequest& request, Gate* gate,
                                const HttpConnection::TakeBody& take) const;
  Result<std::string> send(const std::string& method, const std::string& path, std::string body,
                           const std::string& content_type) const;

  std::string socket_path_;
  seconds patience_;
  std::shared_ptr<Connections> connections_;
};

// Lets another thread end an events() call. Thread-safe.
class ApiClient::Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  void close();
  bool is_closed() const;

 private:
  friend class ApiClient;
  struct State;
  void watch(int socket);  // the socket that close() shuts down; -1: none
  std::unique_ptr<State> state_;
};

// Percent-encodes one part of a path or one value of a query.
std::string path_part(std::string_view text);
// "?key=value&...", without the empty parameters.
std::string query(const std::map<std::string, std::string>& parameters);

}  // namespace sf::client
