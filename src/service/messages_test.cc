#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "service/json_messages.h"
#include "service/openapi.h"
#include "service/wall_time.h"
#include "testing/matchers.h"

namespace sf::service {
namespace {

Json parsed(const char* text) { return Json::parse(text); }

TEST(RequestMessagesTest, SessionIsReadWithAllItsSettings) {
  ASSERT_OK_AND_ASSIGN(
      CreateSession request,
      create_session_from(parsed(
          R"({"name": "a", "backend": "overlay", "policy": "lazy", "root": "/srv", "user": "u",
              "cwd": "/x", "env": {"K": "V"}, "network": "host", "memory_bytes": 5, "pids": 6,
              "cpus": 1.5, "labels": {"owner": "me"}})")));
  EXPECT_EQ(request.name, "a");
  EXPECT_EQ(request.backend, "overlay");
  EXPECT_EQ(request.policy, "lazy");
  EXPECT_EQ(request.config.root, "/srv");
  EXPECT_EQ(request.config.env.at("K"), "V");
  EXPECT_EQ(request.config.network, "host");
  EXPECT_EQ(request.config.memory_bytes, 5U);
  EXPECT_EQ(request.config.max_pids, 6U);
  EXPECT_EQ(request.config.cpu_percent, 150U);
  EXPECT_EQ(request.labels.at("owner"), "me");
}

TEST(RequestMessagesTest, InvalidSessionsAreRefused) {
  for (const char* text : {R"({"nmae": "a"})", R"({"cpus": -1})", R"({"cpus": 0})",
                           R"({"cpus": 1e300})", R"({"labels": {"": "x"}})", R"([])"})
    EXPECT_FALSE(create_session_from(parsed(text)).ok()) << text;
}

TEST(RequestMessagesTest, CommandIsTextOrBytes) {
  ASSERT_OK_AND_ASSIGN(
      ExecRequest text,
      exec_request_from(
          parsed(R"({"command": "ls", "timeout_ms": 0, "max_output": 10, "raw": true})")));
  EXPECT_EQ(text.command, "ls");
  EXPECT_EQ(text.timeout.count(), 0);
  EXPECT_EQ(text.max_output, 10U);
  EXPECT_TRUE(text.raw);
  ASSERT_OK_AND_ASSIGN(ExecRequest bytes,
                       exec_request_from(parsed(R"({"command_base64": "/w=="})")));
  EXPECT_EQ(bytes.command, "\xff");
  for (const char* wrong :
       {"{}", R"({"command": "a", "command_base64": "YQ=="})", R"({"command_base64": "?"})",
        R"({"command": "a", "timeout_ms": -1})", R"({"command": "a", "max_output": 1e12})",
        R"({"command": "a", "timeout": 5})"})
    EXPECT_FALSE(exec_request_from(parsed(wrong)).ok()) << wrong;
}

TEST(RequestMessagesTest, ForkCountDefaultsToTheNumberOfNames) {
  EXPECT_EQ(fork_call_from(parsed("{}"))->request.count, 1U);
  EXPECT_EQ(fork_call_from(parsed(R"({"names": ["a", "b"]})"))->request.count, 2U);
  EXPECT_EQ(fork_call_from(parsed(R"({"names": ["a"], "count": 3})"))->request.count, 3U);
  for (const char* wrong : {R"({"count": 0})", R"({"count": 257})",
                            R"({"names": ["a", "b"], "count": 1})", R"({"on_divergence": "x"})"})
    EXPECT_FALSE(fork_call_from(parsed(wrong)).ok()) << wrong;
}

TEST(ReplyMessagesTest, OutputThatIsNotTextIsAlsoSentAsBytes) {
  EXPECT_FALSE(to_json(Observation{.output = "plain"}).contains("output_base64"));
  EXPECT_EQ(to_json(Observation{.output = "\xff"})["output_base64"], "/w==");
}

TEST(ReplyMessagesTest, TimesAreIso8601) {
  EXPECT_EQ(to_iso_text(control::WallTime(microseconds(0))), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_iso_text(control::WallTime(microseconds(1'700'000'000'000'001))),
            "2023-11-14T22:13:20.000001Z");
}

// tests/python/test_api.py compares the Python client with these limits.
TEST(OpenApiTest, DocumentStatesTheLimitsOfAllClients) {
  const Json api = Json::parse(openapi_text());
  EXPECT_EQ(api["x-limits"], Json({{"command_bytes", kMaxCommand},
                                   {"output_bytes", kMaxOutput},
                                   {"default_output_bytes", kDefaultOutput},
                                   {"timeout_ms", kMaxTimeout.count()},
                                   {"default_timeout_ms", kDefaultTimeout.count()},
                                   {"file_write_bytes", kMaxFileWrite},
                                   {"file_read_bytes", kMaxFileRead},
                                   {"program_input_bytes", kMaxProgramInput},
                                   {"request_bytes", kMaxHttpRequest},
                                   {"queued_input_bytes", kMaxQueuedInput},
                                   {"scrollback_lines", kMaxScrollback},
                                   {"forks", kMaxForks}}));
  for (const char* command : {"Command", "SideCommand"}) {
    const Json& fields = api["components"]["schemas"][command]["properties"];
    EXPECT_EQ(fields["max_output"]["maximum"], kMaxOutput);
    EXPECT_EQ(fields["max_output"]["default"], kDefaultOutput);
    EXPECT_EQ(fields["timeout_ms"]["maximum"], kMaxTimeout.count());
    EXPECT_EQ(fields["timeout_ms"]["default"], kDefaultTimeout.count());
  }
  const Json& branch = api["paths"];
  const std::string at = "/v1/sessions/{s}/branches/{b}";
  EXPECT_EQ(branch[at + "/screen"]["get"]["parameters"].back()["schema"]["maximum"],
            kMaxScrollback);
  EXPECT_EQ(branch[at + "/fork"]["post"]["requestBody"]["content"]["application/json"]["schema"]
                  ["properties"]["count"]["maximum"],
            kMaxForks);
}

TEST(RequestMessagesTest, OutputLimitAboveTheKeepersMaximumIsRefused) {
  auto with_output = [](std::size_t bytes) {
    return exec_request_from({{"command", "x"}, {"max_output", bytes}}).ok();
  };
  EXPECT_TRUE(with_output(kMaxOutput));
  EXPECT_FALSE(with_output(kMaxOutput + 1));
}

}  // namespace
}  // namespace sf::service
