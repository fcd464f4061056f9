// Router: calls the handler for a method and a path, with JSON as input and output. It uses no HTTP
// library and no sockets, so tests can call it as a function.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::service {

using wire::Json;

struct Call {
  std::vector<std::string> names;            // parts of the path that match {}, in order
  std::map<std::string, std::string> query;  // query parameters
  const Json& body;                          // an empty object if there is no body
  std::string_view bytes;                    // the unparsed body
};

// The next piece of a streamed answer; nullopt at its end. May wait.
using BodySource = std::function<std::optional<std::string>()>;

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  BodySource source;  // if set, it produces the body
};

struct Answer {  // a handler's result
  int status = 200;
  Json body;
  std::optional<Reply> other;  // set if the answer is not JSON
};

enum class BodyKind { kJson, kBytes };

class Router {  // Thread-safe after all routes and the watcher were added.
 public:
  using Handler = std::function<Result<Answer>(const Call&)>;
  // Called for every answer with its route (empty: none), its status and its duration.
  using Watcher = std::function<void(const std::string& route, int status, microseconds took)>;

  // `pattern`: "/v1/sessions/{s}/tree"; a {} matches one non-empty part of the path. `query` lists
  // the allowed query parameters.
  void add(std::string method, std::string_view pattern, Handler handler,
           std::vector<std::string> query = {}, BodyKind body = BodyKind::kJson);
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  // Called for failures of the daemon, not for errors of the caller.
  using OnFailure = std::function<void(const std::string& route, const Error& error)>;
  void on_failure(OnFailure told) { on_failure_ = std::move(told); }
  std::vector<std::string> routes() const;  // "GET /v1/sessions", in the order of add()

  // Always returns an answer: an error becomes a problem document.
  Reply answer(std::string_view method, std::string_view path,
               const std::map<std::string, std::string>& query, std::string_view body) const;

 private:
  struct Route {
    std::string method;
    std::string pattern;
    std::vector<std::string> parts;
    std::vector<std::string> query;
    BodyKind body;
    Handler handler;
  };
  struct Found {
    const Route* route = nullptr;  // nullptr if the path does not support the method
    std::vector<std::string> names;
    bool known_path = false;
  };
  Found find(std::string_view method, std::string_view path) const;
  Result<Answer> call(const Route& route, std::vector<std::string> names,
                      const std::map<std::string, std::string>& query, std::string_view body) const;

  std::vector<Route> routes_;
  Watcher watcher_;
  OnFailure on_failure_;
};

// Always valid JSON: invalid UTF-8 in strings is replaced.
std::string to_text(const Json& json);
// One server-sent event, with `seq` as its id if given.
std::string to_event_text(std::string_view kind, const Json& data,
                          std::optional<std::uint64_t> seq = std::nullopt);
// `status`: an HTTP status that is more specific than the error's code; 0: the code's status.
Reply problem_reply(const Error& error, int status = 0);

}  // namespace sf::service
