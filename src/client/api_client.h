// ApiClient: the daemon's API from the other side: over its Unix socket, JSON there and back, files
// as bytes, events as they come. A problem that the daemon reports comes back as the Error it was.
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
  // Commands may take as long as they were given, which the daemon knows: hence for ever.
  static constexpr seconds kForEver{400L * 24 * 3600};

  // One connection for each call.
  explicit ApiClient(std::string socket_path, seconds patience = kForEver);
  // One connection for all calls that follow each other: for processes that end soon, since an open
  // one occupies a thread of the daemon. `connect_first` makes connections until the first answer
  // came, and may start a daemon; then there was one, and nothing is started any more.
  using Connect = std::function<Result<os::UniqueFd>()>;
  ApiClient(std::string socket_path, Connect connect_first);

  Result<wire::Json> get(const std::string& path) const;
  Result<wire::Json> remove(const std::string& path) const;
  Result<wire::Json> post(const std::string& path, const wire::Json& body) const;
  Result<wire::Json> patch(const std::string& path, const wire::Json& body) const;
  Result<std::string> get_bytes(const std::string& path) const;
  Result<wire::Json> put_bytes(const std::string& path, std::string bytes) const;

  // Hands over the events of a stream until it ends, `take` fails, or the gate is closed.
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
  void watch(int socket);  // that close() ends; -1: none
  std::unique_ptr<State> state_;
};

// One part of a path, or one value of a query, whatever it holds.
std::string path_part(std::string_view text);
// "?key=value&..." of those that are not empty.
std::string query(const std::map<std::string, std::string>& parameters);

}  // namespace sf::client
