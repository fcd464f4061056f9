// Router: from a method and a path to the handler, JSON on both sides. Knows no HTTP library and no
// sockets, so every answer can be tested as a function call.
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
  std::vector<std::string> names;            // what stood in the path's {}, in order
  std::map<std::string, std::string> query;  // of the address
  const Json& body;                          // an empty object when there was none
  std::string_view bytes;                    // the body as it came
};

// The next piece of an answer that takes its time; nothing at its end. May wait.
using BodySource = std::function<std::optional<std::string>()>;

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  BodySource source;  // where there is one, the body comes from it
};

struct Answer {  // of a handler
  int status = 200;
  Json body;
  std::optional<Reply> other;  // an answer that is not JSON, instead
};

enum class BodyKind { kJson, kBytes };

class Router {  // Thread-safe once all routes and the watcher are added.
 public:
  using Handler = std::function<Result<Answer>(const Call&)>;
  // Told of every answer: which route (empty: none), how it ended, how long it took.
  using Watcher = std::function<void(const std::string& route, int status, microseconds took)>;

  // `pattern`: "/v1/sessions/{s}/tree"; a {} stands for one part of the path, which is not empty.
  // `query` names the parameters that may stand after the question mark.
  void add(std::string method, std::string_view pattern, Handler handler,
           std::vector<std::string> query = {}, BodyKind body = BodyKind::kJson);
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  // Told of what went wrong on our side, not on the caller's.
  using OnFailure = std::function<void(const std::string& route, const Error& error)>;
  void on_failure(OnFailure told) { on_failure_ = std::move(told); }
  std::vector<std::string> routes() const;  // "GET /v1/sessions", as they were added

  // Always an answer: what fails becomes a problem.
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
    const Route* route = nullptr;  // none: not with this method
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

// JSON whatever the strings hold: what is not UTF-8 is replaced.
std::string to_text(const Json& json);
// One server-sent event; `seq` where it has a number.
std::string to_event_text(std::string_view kind, const Json& data,
                          std::optional<std::uint64_t> seq = std::nullopt);
// `status`: where HTTP has a narrower word than the error's code; 0: the code's own.
Reply problem_reply(const Error& error, int status = 0);

}  // namespace sf::service
