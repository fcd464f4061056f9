#include "cli/api_client.h"

#include <httplib.h>

#include <nlohmann/json.hpp>

#include "wire/problem.h"

namespace sf::cli {
namespace {

// Commands may take as long as they were given; the daemon knows.
constexpr time_t kPatienceSeconds = 400L * 24 * 3600;

Error lost_daemon(httplib::Error error) {
  if (error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout)
    return fail(ErrorCode::kNotFound, "no daemon answers", "start one: `statefork serve`");
  return fail(ErrorCode::kOs, "the daemon went away before it answered",
              "it may or may not have been done; `statefork tree` shows what is there");
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

Result<wire::Json> ApiClient::get(const std::string& path) const { return call("GET", path, {}); }

Result<wire::Json> ApiClient::remove(const std::string& path) const {
  return call("DELETE", path, {});
}

Result<wire::Json> ApiClient::post(const std::string& path, const wire::Json& body) const {
  return call("POST", path, body.dump(-1, ' ', false, wire::Json::error_handler_t::replace));
}

Result<wire::Json> ApiClient::call(const std::string& method, const std::string& path,
                                   std::string body) const {
  httplib::Client http(socket_path_, 80);
  http.set_address_family(AF_UNIX);
  http.set_url_encode(false);
  http.set_read_timeout(kPatienceSeconds);
  http.set_write_timeout(60);
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.headers = {{"Host", "localhost"}, {"Content-Type", "application/json"}};
  request.body = std::move(body);
  httplib::Result result = http.send(request);
  if (!result) return lost_daemon(result.error());
  if (result->status >= 400) return wire::error_from_problem(result->status, result->body);
  wire::Json json = wire::Json::parse(result->body, nullptr, false);
  if (!json.is_object())
    return fail(ErrorCode::kCorrupt, "the daemon's answer makes no sense",
                "do client and daemon have the same version?");
  return json;
}

}  // namespace sf::cli
