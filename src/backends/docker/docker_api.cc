#include "backends/docker/docker_api.h"

#include <httplib.h>

#include <utility>

namespace sf::backends {
namespace {

using wire::Json;

constexpr auto kTimeout = std::chrono::minutes(10);  // commits of large files are slow
constexpr auto kQuestionTime = seconds(30);
constexpr std::size_t kMaxAnswer = 64U << 20U;
constexpr const char* kVersion = "/v1.40";  // Docker 19.03 and Podman 3 support it

void prepare(httplib::Client& http, milliseconds patience) {
  http.set_address_family(AF_UNIX);
  http.set_read_timeout(patience);
  http.set_write_timeout(kTimeout);
  http.set_default_headers({{"Host", "docker"}});
}

std::string target(const std::string& path, const DockerApi::Query& query) {
  httplib::Params params(query.begin(), query.end());
  return httplib::append_query_params(kVersion + path, params);
}

ErrorCode code_of(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 400) return ErrorCode::kInvalidArgument;
  if (status == 409) return ErrorCode::kBusy;
  if (status == 507) return ErrorCode::kNoSpace;
  return ErrorCode::kOs;
}

Error unreachable(const std::string& socket, httplib::Error error) {
  return fail(ErrorCode::kOs, "no Docker Engine answers at " + socket + ": " + to_string(error),
              "start it (systemctl start docker), or set DOCKER_HOST=unix://SOCKET");
}

// The last valid line: the engine answers an upload with one line per step.
Json last_line(const std::string& body) {
  Json last = Json::object();
  std::size_t start = 0;
  while (start < body.size()) {
    std::size_t end = std::min(body.find('\n', start), body.size());
    Json line = Json::parse(body.substr(start, end - start), nullptr, false);
    if (line.is_object()) last = std::move(line);
    start = end + 1;
  }
  return last;
}

Result<Json> answer_of(const std::string& socket, const httplib::Result& result) {
  if (!result) return unreachable(socket, result.error());
  if (result->body.size() > kMaxAnswer)
    return fail(ErrorCode::kCorrupt, "the Docker Engine's reply is too long");
  Json json = Json::parse(result->body, nullptr, false);
  if (json.is_discarded()) json = last_line(result->body);
  std::string said = json.is_object() ? json.value("message", json.value("error", "")) : "";
  if (result->status < 400 && said.empty()) return json;
  if (said.empty()) said = "status " + std::to_string(result->status);
  return fail(code_of(result->status), "error of the Docker Engine: " + said);
}

}  // namespace

Result<Json> DockerApi::send(const std::string& method, const std::string& path, const Query& query,
                             const Json& body) const {
  httplib::Client http(socket_, 80);
  prepare(http, method == "GET" ? kQuestionTime : kTimeout);
  httplib::Request request;
  request.method = method;
  request.path = target(path, query);
  if (!body.is_null()) {
    request.body = body.dump();
    request.set_header("Content-Type", "application/json");
  }
  return answer_of(socket_, http.send(request));
}

Result<Json> DockerApi::get(const std::string& path, const Query& query) const {
  return send("GET", path, query, {});
}

Result<Json> DockerApi::post(const std::string& path, const Query& query, const Json& body) const {
  return send("POST", path, query, body);
}

Result<Json> DockerApi::upload(const std::string& path, const Query& query,
                               const Body& body) const {
  httplib::Client http(socket_, 80);
  prepare(http, kTimeout);
  std::optional<Error> failure;
  httplib::Result result = http.Post(
      target(path, query),
      [&](std::size_t, httplib::DataSink& sink) {
        Result<std::optional<std::string>> piece = body();
        if (!piece) {
          failure = std::move(piece).error();
          return false;
        }
        if (*piece) return sink.write((*piece)->data(), (*piece)->size());
        sink.done();
        return true;
      },
      "application/x-tar");
  if (failure) return *failure;
  return answer_of(socket_, result);
}

Status DockerApi::remove(const std::string& path, const Query& query) const {
  Result<Json> done = send("DELETE", path, query, {});
  if (done || done.error().code == ErrorCode::kNotFound) return Ok{};
  return std::move(done).error();
}

}  // namespace sf::backends
