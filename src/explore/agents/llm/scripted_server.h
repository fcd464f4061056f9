// ScriptedServer: a server on the loopback interface that answers each request with the next
// scripted reply, byte for byte. For tests.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "os/fd.h"
#include "os/tcp_socket.h"

namespace sf::explore::llm {

struct ScriptedAnswer {
  std::string bytes;        // the whole reply, from the status line on
  bool is_kept = false;     // keep the connection open
  bool never_ends = false;  // send nothing more and wait until the client closes
};

class ScriptedServer {
 public:
  ScriptedServer()
      : listener_(os::listen_tcp({"127.0.0.1", "0"}).value()),
        port_(os::port_of(listener_.get()).value()),
        thread_([this] { serve(); }) {}
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void answer(ScriptedAnswer answer) {
    std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
  }

  struct Request {
    std::string head;
    std::string body;
    int connection = 0;
  };
  std::vector<Request> requests() {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (int number = 1;; ++number) {
      const os::UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection.valid()) return;
      const int now = 1;
      ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
      while (serve_one(connection.get(), number)) {
      }
    }
  }

  // Returns false if the connection is to be closed.
  bool serve_one(int connection, int number) {
    Request request{.connection = number};
    std::size_t length = 0;
    while (request.head.empty() || request.body.size() < length) {
      char buffer[4096];
      const ssize_t n = ::recv(connection, buffer, sizeof buffer, 0);
      if (n <= 0) return false;
      request.body.append(buffer, static_cast<std::size_t>(n));
      const std::size_t end = request.body.find("\r\n\r\n");
      if (!request.head.empty() || end == std::string::npos) continue;
      request.head = request.body.substr(0, end + 2);
      request.body.erase(0, end + 4);
      length = std::strtoul(request.head.substr(request.head.find("Content-Length: ") + 16).c_str(),
                            nullptr, 10);
    }
    ScriptedAnswer answer = take(std::move(request));
    for (std::string_view left = answer.bytes; !left.empty();) {
      const ssize_t n = ::send(connection, left.data(), left.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(n));
    }
    char buffer[1];
    while (answer.never_ends && ::recv(connection, buffer, sizeof buffer, 0) > 0) {
    }
    return answer.is_kept;
  }

  ScriptedAnswer take(Request request) {
    std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    if (answers_.empty()) return {"HTTP/1.1 418 Script exhausted\r\nContent-Length: 0\r\n\r\n"};
    ScriptedAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  os::UniqueFd listener_;
  std::uint16_t port_;
  std::mutex mutex_;
  std::deque<ScriptedAnswer> answers_;
  std::vector<Request> requests_;
  std::thread thread_;
};

// An answer of known length, for example an error.
inline std::string plain_answer(const std::string& status, const std::string& body,
                                const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

constexpr const char* kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n";

// An event stream in chunks of `piece` bytes.
inline std::string chunked_answer(std::string_view events, std::size_t piece) {
  std::string bytes = std::string(kStreamHead) + "Transfer-Encoding: chunked\r\n\r\n";
  for (; !events.empty(); events.remove_prefix(std::min(piece, events.size()))) {
    const std::string_view chunk = events.substr(0, piece);
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
    bytes += size;
    bytes += chunk;
    bytes += "\r\n";
  }
  return bytes + "0\r\n\r\n";
}

}  // namespace sf::explore::llm
