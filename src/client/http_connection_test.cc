// Tests the client against a server thread of the test.
#include "client/http_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "client/api_client.h"
#include "os/socket.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::client {
namespace {

using End = HttpExchange::End;

constexpr std::string_view kReply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

class Server {
 public:
  Server() {
    auto listener = os::listen_unix(path(), 0600);
    EXPECT_OK(listener);
    if (listener) listener_ = std::move(*listener);
  }
  std::string path() const { return dir_ / "s"; }
  os::UniqueFd accept() const {
    auto accepted = os::accept_unix(listener_.get());
    EXPECT_OK(accepted);
    return accepted ? std::move(*accepted) : os::UniqueFd();
  }
  void close() { listener_.reset(); }
  bool has_caller() const {
    auto ready = os::wait_readable(listener_.get(), Deadline::after(seconds(20)));
    return ready && *ready;
  }

 private:
  test::TempDir dir_;
  os::UniqueFd listener_;
};

// Reads one request that has no body.
std::string read_request(int fd) {
  std::string text;
  char byte = 0;
  while (!text.ends_with("\r\n\r\n") && ::recv(fd, &byte, 1, 0) == 1) text += byte;
  return text;
}

void write_text(int fd, std::string_view text) {
  EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

HttpExchange get(const Server& server) {
  auto connected = os::connect_unix(server.path());
  EXPECT_OK(connected);
  return HttpConnection(std::move(*connected))
      .call({"GET", "/x", "", ""}, seconds(20), [](int, std::string_view) { return true; });
}

TEST(HttpConnectionTest, ServerThatClosesWithoutAcceptingDidNotTakeTheRequest) {
  Server server;
  std::thread ends([&] {
    EXPECT_TRUE(server.has_caller());
    server.close();
  });
  EXPECT_EQ(get(server).end, End::kNotTaken);
  ends.join();
}

TEST(HttpConnectionTest, ServerThatClosesWithoutReadingDidNotTakeTheRequest) {
  Server server;
  std::thread ends([&] { EXPECT_TRUE(server.accept().valid()); });
  EXPECT_EQ(get(server).end, End::kNotTaken);
  ends.join();
}

TEST(HttpConnectionTest, ServerThatShutsDownWithoutReadingDidNotTakeTheRequest) {
  Server server;
  std::thread ends([&] {
    os::UniqueFd caller = server.accept();
    auto ready = os::wait_readable(caller.get(), Deadline::after(seconds(20)));
    EXPECT_TRUE(ready && *ready);
    ::shutdown(caller.get(), SHUT_RDWR);
    std::this_thread::sleep_for(milliseconds(50));  // the caller sees the shutdown before the close
  });
  EXPECT_EQ(get(server).end, End::kNotTaken);
  ends.join();
}

TEST(HttpConnectionTest, ServerThatReadTheRequestReportsABrokenExchange) {
  Server server;
  std::thread ends([&] {
    os::UniqueFd caller = server.accept();
    EXPECT_TRUE(read_request(caller.get()).starts_with("GET /x HTTP/1.1\r\n"));
  });
  EXPECT_EQ(get(server).end, End::kBroken);
  ends.join();
}

TEST(HttpConnectionTest, TruncatedReplyReportsABrokenExchange) {
  Server server;
  std::thread ends([&] {
    os::UniqueFd caller = server.accept();
    read_request(caller.get());
    write_text(caller.get(), kReply.substr(0, kReply.size() - 1));
  });
  EXPECT_EQ(get(server).end, End::kBroken);
  ends.join();
}

// Serves requests on one connection until the caller closes it. Returns their number.
int serve_one_connection(const Server& server) {
  os::UniqueFd caller = server.accept();
  int requests = 0;
  while (!read_request(caller.get()).empty()) {
    write_text(caller.get(), kReply);
    ++requests;
  }
  return requests;
}

TEST(ApiClientTest, ConsecutiveCallsShareAConnection) {
  Server server;
  int requests = 0;
  std::thread serves([&] { requests = serve_one_connection(server); });
  int connections = 0;
  {
    const ApiClient client(server.path(), [&] {
      ++connections;
      return os::connect_unix(server.path());
    });
    for (int i = 0; i < 3; ++i) EXPECT_OK(client.get("/x"));
  }
  serves.join();
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(connections, 1);
}

TEST(ApiClientTest, ClientReconnectsIfTheServerClosedAnIdleConnection) {
  Server server;
  int requests = 0;
  std::thread serves([&] {
    {
      os::UniqueFd caller = server.accept();
      read_request(caller.get());
      write_text(caller.get(), kReply);
    }
    requests = serve_one_connection(server);
  });
  {
    const ApiClient client(server.path(), [&] { return os::connect_unix(server.path()); });
    EXPECT_OK(client.get("/x"));
    EXPECT_OK(client.get("/x"));
  }
  serves.join();
  EXPECT_EQ(requests, 1);
}

TEST(ApiClientTest, ClientStartsNoDaemonAfterTheFirstReply) {
  Server server;
  std::thread serves([&] {
    os::UniqueFd caller = server.accept();
    read_request(caller.get());
    write_text(caller.get(), kReply);
    server.close();
  });
  int starts = 0;
  const ApiClient client(server.path(), [&] {
    ++starts;
    return os::connect_unix(server.path());
  });
  EXPECT_OK(client.get("/x"));
  serves.join();
  auto second = client.get("/x");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(starts, 1);
}

TEST(ApiClientTest, ClosedGateEndsAWaitingCall) {
  Server server;
  ApiClient::Gate gate;
  std::thread closes([&] {
    os::UniqueFd caller = server.accept();
    read_request(caller.get());
    gate.close();
    EXPECT_EQ(read_request(caller.get()), "");
  });
  auto end = ApiClient(server.path()).events("/x", gate, [](const auto&) { return Ok{}; });
  closes.join();
  ASSERT_OK(end);
  EXPECT_EQ(*end, ApiClient::StreamEnd::kClosed);
}

}  // namespace
}  // namespace sf::client
