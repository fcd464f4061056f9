#include "wire/problem.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::wire {
namespace {

TEST(ProblemTest, ErrorSurvivesARoundTrip) {
  Error error = fail(ErrorCode::kDiverged, "make: other output", "accept it");
  error.details["command"] = "make";
  Json problem = problem_from_error(error);
  EXPECT_EQ(problem["status"], 409);
  Error back = error_from_problem(409, problem.dump());
  EXPECT_EQ(back.code, error.code);
  EXPECT_EQ(back.message, error.message);
  EXPECT_EQ(back.hint, error.hint);
  EXPECT_EQ(back.details, error.details);
}

TEST(ProblemTest, ErrorCodesMapToHttpStatuses) {
  EXPECT_EQ(http_status(ErrorCode::kInvalidArgument), 400);
  EXPECT_EQ(http_status(ErrorCode::kNotFound), 404);
  EXPECT_EQ(http_status(ErrorCode::kSessionLost), 410);
  EXPECT_EQ(http_status(ErrorCode::kUnsupported), 422);
  EXPECT_EQ(http_status(ErrorCode::kOs), 500);
}

TEST(ProblemTest, ReplyThatIsNotAProblemBecomesAnError) {
  for (const char* body : {"", "<html>", "[1]", "{\"detail\": 5, \"details\": {\"a\": 1}}"}) {
    Error error = error_from_problem(404, body);
    EXPECT_EQ(error.code, ErrorCode::kNotFound);
    EXPECT_EQ(error.message, "the daemon answered 404");
  }
  EXPECT_EQ(error_from_problem(502, "").code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace sf::wire
