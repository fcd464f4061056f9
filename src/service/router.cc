#include "service/router.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/split.h"
#include "wire/problem.h"

namespace sf::service {
namespace {

constexpr int kMethodNotAllowed = 405;
constexpr int kOurFault = 500;
constexpr const char* kAllPaths = "GET /openapi.json describes all paths";
constexpr int kMaxDepth = 32;  // of the JSON in a request

bool is_name(const std::string& part) { return part.starts_with('{'); }

// The parts of the path that match {}, or nullopt if the path does not match.
std::optional<std::vector<std::string>> match(const std::vector<std::string>& pattern,
                                              const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_name(pattern[i]) && !path[i].empty()) {
      names.push_back(path[i]);
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return names;
}

Result<Json> parse_body(std::string_view body) {
  if (body.empty()) return Json::object();
  bool too_deep = false;
  auto watch = [&](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json json = Json::parse(body, watch, false);
  if (json.is_discarded() || too_deep) return invalid("the request's body is not JSON");
  return json;
}

}  // namespace

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_event_text(std::string_view kind, const Json& data,
                          std::optional<std::uint64_t> seq) {
  std::string text;
  if (seq) text += "id: " + std::to_string(*seq) + "\n";
  return text + "event: " + std::string(kind) + "\ndata: " + to_text(data) + "\n\n";
}

Reply problem_reply(const Error& error, int status) {
  if (status == 0) status = wire::http_status(error.code);
  Json problem = wire::problem_from_error(error);
  problem["status"] = status;
  return {status, std::string(wire::kProblemType), to_text(problem), {}};
}

void Router::add(std::string method, std::string_view pattern, Handler handler,
                 std::vector<std::string> query, BodyKind body) {
  routes_.push_back({std::move(method), std::string(pattern), split(pattern, '/'), std::move(query),
                     body, std::move(handler)});
}

std::vector<std::string> Router::routes() const {
  std::vector<std::string> names;
  for (const Route& route : routes_) names.push_back(route.method + " " + route.pattern);
  return names;
}

Router::Found Router::find(std::string_view method, std::string_view path) const {
  std::vector<std::string> parts = split(path, '/');
  Found found;
  for (const Route& route : routes_) {
    auto names = match(route.parts, parts);
    if (!names) continue;
    found.known_path = true;
    if (route.method == method) return {&route, std::move(*names), true};
  }
  return found;
}

Result<Answer> Router::call(const Route& route, std::vector<std::string> names,
                            const std::map<std::string, std::string>& query,
                            std::string_view body) const {
  for (const auto& [key, value] : query) {
    if (std::find(route.query.begin(), route.query.end(), key) == route.query.end())
      return invalid("unknown query parameter \"" + key.substr(0, 64) + "\"");
  }
  Json json = Json::object();
  if (route.body == BodyKind::kJson) {
    SF_TRY_ASSIGN(json, parse_body(body));
  }
  return route.handler({std::move(names), query, json, body});
}

Reply Router::answer(std::string_view method, std::string_view path,
                     const std::map<std::string, std::string>& query, std::string_view body) const {
  Stopwatch watch;
  Found found = find(method, path);
  Reply reply;
  if (found.route != nullptr) {
    Result<Answer> answer = call(*found.route, std::move(found.names), query, body);
    if (!answer) {
      reply = problem_reply(answer.error());
      if (on_failure_ && reply.status >= kOurFault)
        on_failure_(found.route->method + " " + found.route->pattern, answer.error());
    } else if (answer->other) {
      reply = std::move(*answer->other);
    } else {
      reply = {answer->status, "application/json", to_text(answer->body), {}};
    }
  } else {
    std::string shown(path.substr(0, 200));
    reply =
        found.known_path
            ? problem_reply(invalid(std::string(method) + " is not allowed at " + shown, kAllPaths),
                            kMethodNotAllowed)
            : problem_reply(fail(ErrorCode::kNotFound, "no such path: " + shown, kAllPaths));
  }
  if (watcher_) {
    std::string name;
    if (found.route != nullptr) name = found.route->method + " " + found.route->pattern;
    watcher_(name, reply.status, watch.elapsed());
  }
  return reply;
}

}  // namespace sf::service
