#include "shell/command.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "testing/matchers.h"
#include "wire/frame.h"

namespace sf::waypoint {
namespace {

using wire::Json;

const std::string kBinary = std::string("\0\xff\n{}", 5);

// As it would arrive at the other side.
Json sent(const Json& json) {
  wire::FrameReader reader;
  reader.feed(wire::encode_frame({json, ""}));
  return reader.next().value()->header;
}

TEST(ExecRequestJsonTest, EveryFieldSurvives) {
  ExecRequest request{kBinary, milliseconds(0), std::numeric_limits<std::size_t>::max(), true};
  ASSERT_OK_AND_ASSIGN(ExecRequest back, exec_request_from_json(sent(to_json(request)), kBinary));
  EXPECT_EQ(back.command, request.command);
  EXPECT_EQ(back.timeout, request.timeout);
  EXPECT_EQ(back.max_output, request.max_output);
  EXPECT_EQ(back.raw, request.raw);
}

TEST(ExecRequestJsonTest, AMissingOrWrongKeyIsNamed) {
  const Json good = to_json(ExecRequest{});
  for (const auto& [key, value] : good.items()) {
    Json missing = good;
    missing.erase(key);
    auto request = exec_request_from_json(missing, "x");
    ASSERT_FALSE(request.ok()) << key;
    EXPECT_EQ(request.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(request.error().message.find(key), std::string::npos);
    Json wrong = good;
    wrong[key] = "text";
    EXPECT_FALSE(exec_request_from_json(wrong, "x").ok()) << key;
  }
}

ExecResult full_result() {
  ExecResult result;
  result.exit_code = 137;
  result.output = kBinary + "output";
  result.raw = "\x1b[31mraw" + kBinary;
  result.background = kBinary;
  result.duration = microseconds(1'234'567);
  result.output_bytes = 1ULL << 40U;
  result.timed_out = true;
  result.truncated = true;
  result.shell_restarted = true;
  result.left_background = true;
  return result;
}

TEST(ExecResultJsonTest, TheTextsAreCutFromThePayloadUnharmed) {
  ExecResult result = full_result();
  ASSERT_OK_AND_ASSIGN(
      ExecResult back,
      exec_result_from_json(sent(to_json(result)), result.output + result.raw + result.background));
  EXPECT_EQ(back.exit_code, result.exit_code);
  EXPECT_EQ(back.output, result.output);
  EXPECT_EQ(back.raw, result.raw);
  EXPECT_EQ(back.background, result.background);
  EXPECT_EQ(back.duration, result.duration);
  EXPECT_EQ(back.output_bytes, result.output_bytes);
  EXPECT_TRUE(back.timed_out && back.truncated && back.shell_restarted && back.left_background);
}

TEST(ExecResultJsonTest, EmptyTextsNeedNoPayload) {
  ASSERT_OK_AND_ASSIGN(ExecResult back, exec_result_from_json(to_json(ExecResult{}), ""));
  EXPECT_EQ(back.output + back.raw + back.background, "");
  EXPECT_FALSE(back.timed_out || back.truncated || back.shell_restarted || back.left_background);
}

TEST(ExecResultJsonTest, APayloadThatDoesNotFitItsSizesIsCorrupt) {
  ExecResult result = full_result();
  std::string payload = result.output + result.raw + result.background;
  for (const std::string& wrong : {std::string(), payload.substr(1), payload + "x"}) {
    auto back = exec_result_from_json(to_json(result), wrong);
    ASSERT_FALSE(back.ok()) << wrong.size();
    EXPECT_EQ(back.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ExecResultJsonTest, SizesThatWrapAreNeverFatal) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1'000; ++round) {
    Json json = to_json(ExecResult{});
    for (const char* key : {"output_size", "raw_size", "background_size"}) {
      if (random() % 2 == 0) json[key] = random() % 2 == 0 ? Json(random()) : Json(-1);
    }
    (void)exec_result_from_json(json, "payload").ok();
  }
}

SideExecRequest full_side_request() {
  SideExecRequest request;
  request.argv = {"printf", "%s", "", "a b"};
  request.env = {{"A", "1"}, {"B", ""}};
  request.cwd = "/tmp";
  request.user = "ada";
  request.input = kBinary;
  request.timeout = milliseconds(5);
  request.max_output = 9;
  return request;
}

TEST(SideExecRequestJsonTest, EveryFieldSurvives) {
  SideExecRequest request = full_side_request();
  ASSERT_OK_AND_ASSIGN(SideExecRequest back,
                       side_exec_request_from_json(sent(to_json(request)), request.input));
  EXPECT_EQ(back.argv, request.argv);
  EXPECT_EQ(back.env, request.env);
  EXPECT_EQ(back.cwd, request.cwd);
  EXPECT_EQ(back.user, request.user);
  EXPECT_EQ(back.input, request.input);
  EXPECT_EQ(back.timeout, request.timeout);
  EXPECT_EQ(back.max_output, request.max_output);
}

// File names are bytes, and an argument may be one.
TEST(SideExecRequestJsonTest, ArgumentsThatAreNoUtf8ArriveUnharmed) {
  SideExecRequest request;
  request.argv = {"cat", "caf\xe9.txt"};
  request.env = {{"A", "\xff"}};
  ASSERT_OK_AND_ASSIGN(SideExecRequest back,
                       side_exec_request_from_json(sent(to_json(request)), ""));
  EXPECT_EQ(back.argv, request.argv);
  EXPECT_EQ(back.env, request.env);
}

TEST(SideExecRequestJsonTest, AMissingKeyIsNamed) {
  const Json good = to_json(full_side_request());
  for (const auto& [key, value] : good.items()) {
    Json json = good;
    json.erase(key);
    auto request = side_exec_request_from_json(json, "");
    ASSERT_FALSE(request.ok()) << key;
    EXPECT_NE(request.error().message.find(key), std::string::npos);
  }
}

TEST(SideExecResultJsonTest, BothStreamsAreCutFromThePayloadUnharmed) {
  SideExecResult result{2, kBinary + "out", "err" + kBinary, microseconds(7), true, true};
  ASSERT_OK_AND_ASSIGN(SideExecResult back,
                       side_exec_result_from_json(sent(to_json(result)),
                                                  result.standard_output + result.standard_error));
  EXPECT_EQ(back.exit_code, 2);
  EXPECT_EQ(back.standard_output, result.standard_output);
  EXPECT_EQ(back.standard_error, result.standard_error);
  EXPECT_EQ(back.duration, result.duration);
  EXPECT_TRUE(back.timed_out && back.truncated);
}

TEST(SideExecResultJsonTest, APayloadThatDoesNotFitItsSizesIsCorrupt) {
  SideExecResult result{0, "out", "err", microseconds(0), false, false};
  EXPECT_FALSE(side_exec_result_from_json(to_json(result), "oute").ok());
  EXPECT_FALSE(side_exec_result_from_json(to_json(result), "outerr+").ok());
}

}  // namespace
}  // namespace sf::waypoint
