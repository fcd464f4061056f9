// Router: from a method and a path to the handler, JSON on both sides. Knows no HTTP library and no
// sockets, so every answer can be tested as a function call.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/json.h"

namespace sf::service {

using wire::Json;

struct Call {
  std::vector<std::string> names;            // what stood in the path's {}, in order
  std::map<std::string, std::string> query;  // of the address
  const Json& body;                          // an empty object when there was none
};

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

struct Answer {  // of a handler
  int status = 200;
  Json body;
};

class Router {  // Thread-safe once all routes are added.
 public:
  using Handler = std::function<Result<Answer>(const Call&)>;

  // `pattern`: "/v1/sessions/{s}/tree"; a {} stands for one part of the path, which is not empty.
  // `query` names the parameters that may stand after the question mark.
  void add(std::string method, std::string_view pattern, Handler handler,
           std::vector<std::string> query = {});

  // Always an answer: what fails becomes a problem.
  Reply answer(std::string_view method, std::string_view path,
               const std::map<std::string, std::string>& query, std::string_view body) const;

 private:
  struct Route {
    std::string method;
    std::vector<std::string> parts;
    std::vector<std::string> query;
    Handler handler;
  };
  Result<Answer> call(const Route& route, std::vector<std::string> names,
                      const std::map<std::string, std::string>& query, std::string_view body) const;

  std::vector<Route> routes_;
};

// JSON whatever the strings hold: what is not UTF-8 is replaced.
std::string to_text(const Json& json);
// `status`: where HTTP has a narrower word than the error's code; 0: the code's own.
Reply problem_reply(const Error& error, int status = 0);

}  // namespace sf::service
