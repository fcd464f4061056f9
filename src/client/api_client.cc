#include "client/api_client.h"

#include <sys/socket.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "os/socket.h"
#include "wire/problem.h"

namespace sf::client {
namespace {

constexpr std::size_t kMaxProblem = 1U << 20U;
constexpr const char* kJson = "application/json";

// Each attempt after the first one waits until the daemon that refused the connection has ended or
// another one has started.
constexpr int kMaxAttempts = 4;

Error no_daemon() {
  return fail(ErrorCode::kNotFound, "no daemon answers", "start one: `statefork serve`");
}

Error makes_no_sense() {
  return fail(ErrorCode::kCorrupt, "malformed reply from the daemon",
              "check that client and daemon have the same version");
}

Error went_away() {
  return fail(ErrorCode::kOs, "the daemon disconnected before it replied",
              "the request may or may not have been done; check with `statefork tree`");
}

Result<wire::Json> parsed(Result<std::string> body) {
  if (!body) return std::move(body).error();
  wire::Json json = wire::Json::parse(*body, nullptr, false);
  if (!json.is_object()) return makes_no_sense();
  return json;
}

std::string to_text(const wire::Json& json) {
  return json.dump(-1, ' ', false, wire::Json::error_handler_t::replace);
}

}  // namespace

std::string path_part(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string part;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '~';
    if (plain) {
      part += c;
    } else {
      part += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return part;
}

std::string query(const std::map<std::string, std::string>& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    if (!value.empty()) text += (text.empty() ? "?" : "&") + key + "=" + path_part(value);
  }
  return text;
}

Result<wire::Json> ApiClient::get(const std::string& path) const {
  return parsed(send("GET", path, {}, kJson));
}

Result<wire::Json> ApiClient::remove(const std::string& path) const {
  return parsed(send("DELETE", path, {}, kJson));
}

Result<wire::Json> ApiClient::post(const std::string& path, const wire::Json& body) const {
  return parsed(send("POST", path, to_text(body), kJson));
}

Result<wire::Json> ApiClient::patch(const std::string& path, const wire::Json& body) const {
  return parsed(send("PATCH", path, to_text(body), kJson));
}

Result<std::string> ApiClient::get_bytes(const std::string& path) const {
  return send("GET", path, {}, kJson);
}

Result<wire::Json> ApiClient::put_bytes(const std::string& path, std::string bytes) const {
  return parsed(send("PUT", path, std::move(bytes), "application/octet-stream"));
}

struct ApiClient::Connections {
  Connect connect_first;
  std::mutex mutex;
  bool has_answered = false;
  std::optional<HttpConnection> idle;  // open and not used by any call
};

struct ApiClient::Gate::State {
  mutable std::mutex mutex;
  bool closed = false;
  int socket = -1;  // of the running call
};

ApiClient::Gate::Gate() : state_(std::make_unique<State>()) {}
ApiClient::Gate::~Gate() = default;

void ApiClient::Gate::close() {
  std::lock_guard lock(state_->mutex);
  state_->closed = true;
  if (state_->socket >= 0) ::shutdown(state_->socket, SHUT_RDWR);
}

bool ApiClient::Gate::is_closed() const {
  std::lock_guard lock(state_->mutex);
  return state_->closed;
}

void ApiClient::Gate::watch(int socket) {
  std::lock_guard lock(state_->mutex);
  state_->socket = socket;
  if (state_->closed && socket >= 0) ::shutdown(socket, SHUT_RDWR);
}

ApiClient::ApiClient(std::string socket_path, seconds patience)
    : socket_path_(std::move(socket_path)), patience_(patience) {}

ApiClient::ApiClient(std::string socket_path, Connect connect_first)
    : socket_path_(std::move(socket_path)),
      patience_(kForEver),
      connections_(std::make_shared<Connections>()) {
  connections_->connect_first = std::move(connect_first);
}

Result<HttpConnection> ApiClient::connection() const {
  bool may_start = false;
  if (connections_ != nullptr) {
    std::lock_guard lock(connections_->mutex);
    if (auto idle = std::exchange(connections_->idle, {})) return std::move(*idle);
    may_start = !connections_->has_answered;
  }
  auto made = may_start ? connections_->connect_first()
                        : os::connect_unix(socket_path_, Deadline::after(patience_));
  if (made) return HttpConnection(std::move(*made));
  if (may_start) return std::move(made).error();
  return no_daemon();
}

Result<HttpExchange> ApiClient::exchange(const HttpRequest& request, Gate* gate,
                                         const HttpConnection::TakeBody& take) const {
  using End = HttpExchange::End;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    SF_TRY_ASSIGN(HttpConnection connection, this->connection());
    if (gate != nullptr) gate->watch(connection.fd());
    const HttpExchange done = connection.call(request, patience_, take);
    if (gate != nullptr) gate->watch(-1);
    if (gate != nullptr && gate->is_closed()) return done;
    if (done.end == End::kNotTaken) continue;
    if (done.end == End::kNotRead)
      return fail(ErrorCode::kTimedOut, "the daemon at " + socket_path_ + " does not answer",
                  "it may be overloaded; see daemon.log in its state directory");
    if (connections_ != nullptr && done.status != 0) {
      std::lock_guard lock(connections_->mutex);
      connections_->has_answered = true;
      if (done.keeps_connection) connections_->idle = std::move(connection);
    }
    return done;
  }
  return no_daemon();
}

Result<std::string> ApiClient::send(const std::string& method, const std::string& path,
                                    std::string body, const std::string& content_type) const {
  const HttpRequest request{method, path, "Content-Type: " + content_type + "\r\n",
                            std::move(body)};
  std::string answer;
  SF_TRY_ASSIGN(HttpExchange done, exchange(request, nullptr, [&](int, std::string_view piece) {
                  answer += piece;
                  return true;
                }));
  if (done.end == HttpExchange::End::kMalformed) return makes_no_sense();
  if (done.end != HttpExchange::End::kAnswered) return went_away();
  if (done.status >= 400) return wire::error_from_problem(done.status, answer);
  return answer;
}

Result<ApiClient::StreamEnd> ApiClient::events(
    const std::string& path, Gate& gate,
    const std::function<Status(const wire::ServerEvent&)>& take) const {
  wire::EventStreamReader reader;
  Status taken = Ok{};
  std::string problem;
  auto receive = [&](int status, std::string_view piece) {
    if (status >= 400) {
      problem += piece.substr(0, kMaxProblem - problem.size());
      return true;
    }
    auto events = reader.feed(piece);
    if (!events) taken = events.error();
    for (std::size_t i = 0; taken.ok() && i < events->size(); ++i) taken = take((*events)[i]);
    return taken.ok() && !gate.is_closed();
  };
  const HttpRequest request{"GET", path, "Accept: text/event-stream\r\n", {}};
  SF_TRY_ASSIGN(HttpExchange done, exchange(request, &gate, receive));
  if (!taken.ok()) return std::move(taken).error();
  if (gate.is_closed()) return StreamEnd::kClosed;
  if (done.end == HttpExchange::End::kMalformed) return makes_no_sense();
  if (done.end != HttpExchange::End::kAnswered) return StreamEnd::kBroken;
  if (done.status >= 400) return wire::error_from_problem(done.status, problem);
  return StreamEnd::kDone;
}

}  // namespace sf::client
