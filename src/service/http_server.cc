#include "service/http_server.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/request_limits.h"
#include "service/worker_threads.h"
#include "wire/problem.h"
#include "wire/query_text.h"

namespace sf::service {
namespace {

// One thread per connection, also while it waits for a branch lock. Each connection uses up to two
// descriptors; a process often has 1024.
constexpr std::size_t kMaxThreads = 384;
constexpr time_t kHalfRequestSeconds = 10;
constexpr time_t kKeepAliveSeconds = 5;
constexpr std::size_t kKeepAliveRequests = 10'000;
constexpr int kUnauthorized = 401;

void put(const Reply& reply, httplib::Response& response) {
  response.status = reply.status;
  if (!reply.source) {
    response.set_content(reply.body, reply.content_type);
    return;
  }
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider(
      reply.content_type, [source = reply.source](std::size_t, httplib::DataSink& sink) {
        std::optional<std::string> piece = source();
        if (piece) return sink.write(piece->data(), piece->size());
        sink.done();
        return true;
      });
}

// Errors that the HTTP library detects, in the API's format.
Error refusal(int status) {
  if (status == 404)
    return fail(ErrorCode::kNotFound, "no such path", "GET /openapi.json describes all paths");
  if (status == 413)
    return invalid("the request is too large",
                   "at most " + std::to_string(kMaxHttpRequest) + " bytes");
  if (status == 414) return invalid("the address is too long");
  return invalid("malformed or unsupported HTTP request");
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

// Takes the same time for a wrong token as for the right one.
bool same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

void put_unauthorized(httplib::Response& response) {
  Json problem = wire::problem_from_error(
      invalid("this address needs the daemon's token", "Authorization: Bearer TOKEN"));
  problem["code"] = "unauthorized";
  problem["status"] = kUnauthorized;
  put({kUnauthorized, std::string(wire::kProblemType), to_text(problem), {}}, response);
  response.set_header("WWW-Authenticate", "Bearer");
}

class Connections : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> serve) override { threads_.add(std::move(serve)); }
  void shutdown() override { threads_.finish(); }

 private:
  WorkerThreads threads_{kMaxThreads};
};

}  // namespace

class Server::Http : public httplib::Server {
 public:
  Http(const Router& router, DaemonLog& log, std::string token) {
    if (!token.empty()) {
      set_pre_routing_handler([expected = "Bearer " + token](const httplib::Request& request,
                                                             httplib::Response& response) {
        if (same_secret(request.get_header_value("Authorization"), expected))
          return HandlerResponse::Unhandled;
        put_unauthorized(response);
        return HandlerResponse::Handled;
      });
    }
    set_tcp_nodelay(true);
    new_task_queue = [] { return new Connections; };  // the library deletes it
    set_payload_max_length(kMaxHttpRequest);
    set_read_timeout(kHalfRequestSeconds);
    set_write_timeout(kHalfRequestSeconds);
    set_keep_alive_timeout(kKeepAliveSeconds);
    set_keep_alive_max_count(kKeepAliveRequests);
    auto handle = [&router](const httplib::Request& request, httplib::Response& response) {
      // Does not use request.params: the library also adds fields of form bodies to it.
      std::size_t mark = std::min(request.target.find('?'), request.target.size() - 1);
      auto query = wire::parse_query(std::string_view(request.target).substr(mark + 1));
      put(query ? router.answer(request.method, request.path, *query, request.body)
                : problem_reply(query.error()),
          response);
    };
    Get(".*", handle);
    Post(".*", handle);
    Put(".*", handle);
    Patch(".*", handle);
    Delete(".*", handle);
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      put(problem_reply(refusal(response.status), response.status), response);
    });
    set_exception_handler([&log](const httplib::Request& request, httplib::Response& response,
                                 const std::exception_ptr& thrown) {
      Error error = fail(ErrorCode::kOs, "internal error of the daemon: " + text_of(thrown));
      log.error("exception", error, {{"path", request.path}});
      put(problem_reply(error), response);
    });
  }

  bool serve_on(int listener) {
    svr_sock_ = listener;
    bool served = listen_after_bind();
    finished_ = true;
    return served;
  }

  void stop_soon() {
    while (!is_running() && !finished_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop();
  }

 private:
  std::atomic<bool> finished_ = false;
};

Server::Server(const Router& router, DaemonLog& log, std::string token)
    : http_(std::make_unique<Http>(router, log, std::move(token))) {}
Server::~Server() = default;

Status Server::serve(os::UniqueFd listener) {
  if (http_->serve_on(listener.release())) return Ok{};  // closes the descriptor
  return fail(ErrorCode::kOs, "the server stopped listening on its socket");
}

void Server::stop() { http_->stop_soon(); }

}  // namespace sf::service
