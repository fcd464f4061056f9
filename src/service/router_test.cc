#include "service/router.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::service {
namespace {

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    router_.add("GET", "/v1/things/{t}",
                [](const Call& call) -> Result<Answer> {
                  if (call.names[0] == "gone") return fail(ErrorCode::kNotFound, "gone", "look");
                  return Answer{200, {{"name", call.names[0]}, {"query", call.query}}};
                },
                {"from"});
    router_.add("POST", "/v1/things", [](const Call& call) -> Result<Answer> {
      return Answer{201, call.body};
    });
  }
  Reply answer(std::string_view method, std::string_view path, std::string_view body = {},
               const std::map<std::string, std::string>& query = {}) {
    return router_.answer(method, path, query, body);
  }
  Router router_;
};

TEST_F(RouterTest, PathNamesAndParametersReachTheHandler) {
  Reply reply = answer("GET", "/v1/things/a", {}, {{"from", "n1"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"name":"a","query":{"from":"n1"}})");
}

TEST_F(RouterTest, MissingBodyIsAnEmptyObject) {
  EXPECT_EQ(answer("POST", "/v1/things").body, "{}");
}

TEST_F(RouterTest, FailureBecomesAProblem) {
  Reply reply = answer("GET", "/v1/things/gone");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.content_type, "application/problem+json");
  Json problem = Json::parse(reply.body);
  EXPECT_EQ(problem["code"], "not_found");
  EXPECT_EQ(problem["hint"], "look");
}

TEST_F(RouterTest, UnknownPathsMethodsAndParametersAreRefused) {
  for (const char* path : {"", "/", "/v1/things/", "/v1/things/a/b", "v1/things", "//v1/things"})
    EXPECT_EQ(answer("GET", path).status, std::string(path) == "/v1/things/" ? 405 : 404) << path;
  EXPECT_EQ(answer("DELETE", "/v1/things/a").status, 405);
  EXPECT_EQ(answer("GET", "/v1/things/a", {}, {{"form", "x"}}).status, 400);
}

TEST_F(RouterTest, MalformedOrTooDeepJsonBodyIsRefused) {
  for (const std::string& body :
       {std::string("{"), std::string("\xff"), std::string("{} {}"), std::string(100'000, '['),
        std::string(50, '[') + std::string(50, ']')})
    EXPECT_EQ(answer("POST", "/v1/things", body).status, 400) << body.substr(0, 20);
}

TEST_F(RouterTest, InvalidUtf8DoesNotBreakTheAnswer) {
  Reply reply = answer("GET", "/v1/things/\xff\xfe");
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(Json::parse(reply.body, nullptr, false).is_discarded());
}

}  // namespace
}  // namespace sf::service
