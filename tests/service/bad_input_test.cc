// Every malformed input gets a clear error and does not affect other clients.
#include <nlohmann/json.hpp>

#include "daemon_world.h"

namespace sf::test {
namespace {

class ServiceBadInputTest : public ::testing::Test {
 protected:
  ServiceBadInputTest() {
    world_.output({"new", "--name", "s"});
    world_.exec_output("s", "X=safe");
  }
  ~ServiceBadInputTest() override {
    EXPECT_EQ(world_.exec_output("s", "echo $X"), "safe");
    EXPECT_EQ(world_.running_daemons(), 1U);
  }

  // Sends a request that must fail with this status. Returns the problem.
  wire::Json problem(const std::string& request, int status) {
    std::string answer = world_.send_raw(request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + std::to_string(status))) << answer.substr(0, 300);
    EXPECT_NE(answer.find("application/problem+json"), std::string::npos) << answer.substr(0, 300);
    std::size_t body = answer.find("\r\n\r\n");
    wire::Json json =
        wire::Json::parse(body == std::string::npos ? "" : answer.substr(body + 4), nullptr, false);
    EXPECT_TRUE(json.is_object() && json.contains("code") && json.contains("detail")) << answer;
    EXPECT_EQ(json.is_object() ? json["status"] : wire::Json(), status) << answer;
    return json;
  }
  static std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  }
  static std::string post(const std::string& path, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  DaemonWorld world_;
};

TEST_F(ServiceBadInputTest, UnknownFieldsAndWrongTypesAreNamed) {
  EXPECT_NE(problem(post("/v1/sessions", R"({"nmae": "x"})"), 400)["detail"].dump().find("nmae"),
            std::string::npos);
  problem(post("/v1/sessions", R"({"name": 5})"), 400);
  problem(post("/v1/sessions", R"({"name": "../x"})"), 400);
  problem(post("/v1/sessions", R"({"backend": "x"})"), 400);
  problem(post("/v1/sessions", R"({"policy": "x"})"), 400);
  problem(post("/v1/sessions", R"({"network": "x"})"), 422);
  problem(post("/v1/sessions/s/branches/main/exec", "{}"), 400);
  problem(post("/v1/sessions/s/branches/main/exec", R"({"command": "true", "x": 1})"), 400);
  problem(post("/v1/sessions/s/branches/main/restore", R"({"node": "../n0"})"), 400);
  problem(post("/v1/sessions/s/branches/main/restore", R"({"node": "n99"})"), 404);
  problem(post("/v1/sessions/s/branches/main/fork", R"({"names": ["a:b"]})"), 400);
  problem(post("/v1/sessions/s/branches/main/snapshot", R"({"name": "a,b"})"), 400);
  problem(post("/v1/sessions/s/cleanup", R"({"node": "n0"})"), 400);
  problem(post("/v1/sessions", "{"), 400);
  problem(post("/v1/sessions", "[]"), 400);
}

TEST_F(ServiceBadInputTest, MalformedIdsAreRefused) {
  for (const char* id : {"..", "%2e%2e", "a:b", "a,b", "a%00b", "-x", "%ff", "~"}) {
    problem(get(std::string("/v1/sessions/") + id), 400);
    problem(post(std::string("/v1/sessions/s/branches/") + id + "/exec", R"({"command": ":"})"),
            400);
  }
  problem(get("/v1/sessions/" + std::string(200, 'x')), 400);
  problem(get("/v1/sessions/nobody"), 404);
  problem(get("/v1/sessions/s/diff?form=n0"), 400);
  problem(get("/nowhere"), 404);
  problem(get("/v1/sessions/../../etc/passwd"), 404);
  problem("DELETE /v1/sessions HTTP/1.1\r\nConnection: close\r\n\r\n", 405);
  problem("PUT /v1/sessions HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 405);
}

TEST_F(ServiceBadInputTest, TooLargeRequestsAreRefused) {
  problem(post("/v1/sessions", std::string(30U << 20U, 'x')), 413);
  problem(get("/" + std::string(20'000, 'x')), 414);
  problem(post("/v1/sessions", std::string(1U << 20U, '[')), 400);
}

TEST_F(ServiceBadInputTest, DaemonSurvivesTruncatedRequestsAndNoise) {
  for (const std::string& noise :
       {std::string(), std::string("POST /v1/sessions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"),
        std::string("POST /v1/sessions HTTP/1.1\r\nContent-Le"),
        std::string("POST /v1/sessions HTTP/1.1\r\nContent-Length: -1\r\n\r\n{}"),
        std::string("POST /v1/sessions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string(5000, '\0'), std::string("\x16\x03\x01 tls?\r\n\r\n")})
    world_.send_raw(noise, DaemonWorld::Then::kHangUp);
  EXPECT_EQ(wire::Json::parse(world_.output({"ls", "--json"}))["sessions"].size(), 1U);
}

}  // namespace
}  // namespace sf::test
