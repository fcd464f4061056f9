#include "client/api_client.h"

#include <httplib.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/scope_exit.h"
#include "wire/problem.h"

namespace sf::client {
namespace {

constexpr std::size_t kMaxProblem = 1U << 20U;
constexpr const char* kJson = "application/json";

void prepare(httplib::Client& http, seconds patience) {
  http.set_address_family(AF_UNIX);
  http.set_url_encode(false);
  http.set_read_timeout(patience);
  http.set_write_timeout(60);
}

bool never_reached(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout;
}

Error no_daemon() {
  return fail(ErrorCode::kNotFound, "no daemon answers", "start one: `statefork serve`");
}

Result<wire::Json> parsed(Result<std::string> body) {
  if (!body) return std::move(body).error();
  wire::Json json = wire::Json::parse(*body, nullptr, false);
  if (!json.is_object())
    return fail(ErrorCode::kCorrupt, "the daemon's answer makes no sense",
                "do client and daemon have the same version?");
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

Result<std::string> ApiClient::send(const std::string& method, const std::string& path,
                                    std::string body, const std::string& content_type) const {
  httplib::Client http(socket_path_, 80);
  prepare(http, patience_);
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.headers = {{"Host", "localhost"}, {"Content-Type", content_type}};
  request.body = std::move(body);
  httplib::Result result = http.send(request);
  if (!result && never_reached(result.error())) return no_daemon();
  if (!result)
    return fail(ErrorCode::kOs, "the daemon went away before it answered",
                "it may or may not have been done; `statefork tree` shows what is there");
  if (result->status >= 400) return wire::error_from_problem(result->status, result->body);
  return std::move(result->body);
}

struct ApiClient::Gate::State {
  mutable std::mutex mutex;
  bool closed = false;
  httplib::Client* open = nullptr;
};

ApiClient::Gate::Gate() : state_(std::make_unique<State>()) {}
ApiClient::Gate::~Gate() = default;

void ApiClient::Gate::close() {
  std::lock_guard lock(state_->mutex);
  state_->closed = true;
  if (state_->open != nullptr) state_->open->stop();
}

bool ApiClient::Gate::is_closed() const {
  std::lock_guard lock(state_->mutex);
  return state_->closed;
}

Result<ApiClient::StreamEnd> ApiClient::events(
    const std::string& path, Gate& gate,
    const std::function<Status(const wire::ServerEvent&)>& take) const {
  httplib::Client http(socket_path_, 80);
  prepare(http, patience_);
  auto register_at_gate = [&gate](httplib::Client* client) {
    std::lock_guard lock(gate.state_->mutex);
    gate.state_->open = client;
  };
  register_at_gate(&http);
  ScopeExit leave([&] { register_at_gate(nullptr); });

  wire::EventStreamReader reader;
  Status taken = Ok{};
  int status = 0;
  std::string problem;
  auto receive = [&](const char* data, std::size_t size) {
    if (status >= 400) {
      problem.append(data, std::min(size, kMaxProblem - problem.size()));
      return true;
    }
    auto events = reader.feed({data, size});
    if (!events) taken = events.error();
    for (std::size_t i = 0; taken.ok() && i < events->size(); ++i) taken = take((*events)[i]);
    return taken.ok() && !gate.is_closed();
  };
  httplib::Request request;
  request.method = "GET";
  request.path = path;
  request.headers = {{"Host", "localhost"}, {"Accept", "text/event-stream"}};
  request.response_handler = [&](const httplib::Response& response) {
    status = response.status;
    return !gate.is_closed();
  };
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    return receive(data, size);
  };
  httplib::Result result = http.send(request);
  if (!taken.ok()) return std::move(taken).error();
  if (gate.is_closed()) return StreamEnd::kClosed;
  if (!result && never_reached(result.error())) return no_daemon();
  if (!result) return StreamEnd::kBroken;
  if (status >= 400) return wire::error_from_problem(status, problem);
  return StreamEnd::kDone;
}

}  // namespace sf::client
