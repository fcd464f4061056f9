#include "service/server.h"

#include <httplib.h>

#include <atomic>
#include <exception>
#include <thread>

namespace sf::service {
namespace {

// One thread per running request. Waiting for a branch's turn occupies one, too.
constexpr std::size_t kThreads = 128;
constexpr time_t kHalfRequestSeconds = 10;
constexpr time_t kKeepAliveSeconds = 5;
constexpr std::size_t kKeepAliveRequests = 10'000;

void put(const Reply& reply, httplib::Response& response) {
  response.status = reply.status;
  response.set_content(reply.body, reply.content_type);
}

// What the library refuses by itself, in the words of the API.
Error refusal(int status) {
  if (status == 404) return fail(ErrorCode::kNotFound, "there is nothing at this path");
  if (status == 413)
    return invalid("the request is too large", "at most " + std::to_string(kMaxBody) + " bytes");
  if (status == 414) return invalid("the address is too long");
  return invalid("this is no HTTP request that can be answered");
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

}  // namespace

class Server::Http : public httplib::Server {
 public:
  Http(const Router& router, DaemonLog& log) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    set_payload_max_length(kMaxBody);
    set_read_timeout(kHalfRequestSeconds);
    set_write_timeout(kHalfRequestSeconds);
    set_keep_alive_timeout(kKeepAliveSeconds);
    set_keep_alive_max_count(kKeepAliveRequests);
    auto handle = [&router](const httplib::Request& request, httplib::Response& response) {
      std::map<std::string, std::string> query(request.params.begin(), request.params.end());
      put(router.answer(request.method, request.path, query, request.body), response);
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
      Error error = fail(ErrorCode::kOs, "the daemon failed: " + text_of(thrown));
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

Server::Server(const Router& router, DaemonLog& log) : http_(std::make_unique<Http>(router, log)) {}
Server::~Server() = default;

Status Server::serve(os::UniqueFd listener) {
  if (http_->serve_on(listener.release())) return Ok{};  // closes it
  return fail(ErrorCode::kOs, "the socket stopped answering");
}

void Server::stop() { http_->stop_soon(); }

}  // namespace sf::service
