#include "shell/branch_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

using wire::Json;

BranchConfig changed(const std::function<void(BranchConfig&)>& change) {
  BranchConfig config;
  change(config);
  return config;
}

// Expects that the config is refused, and that the message contains `named`.
void expect_refused(const char* named, const std::function<void(BranchConfig&)>& change) {
  Status status = check_config(changed(change));
  ASSERT_FALSE(status.ok()) << named;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(status.error().describe().find(named), std::string::npos) << status.error().describe();
}

TEST(CheckConfigTest, DefaultConfigIsValid) { EXPECT_OK(check_config({})); }

TEST(CheckConfigTest, PathsMustBeAbsolute) {
  for (std::string path :
       {std::string(), std::string("x"), std::string("./x"), std::string("/a\0b", 4)}) {
    expect_refused("root", [&](BranchConfig& c) { c.root = path; });
    expect_refused("cwd", [&](BranchConfig& c) { c.cwd = path; });
  }
}

TEST(CheckConfigTest, UserMustNotBeEmpty) {
  expect_refused("user", [](BranchConfig& c) { c.user = ""; });
  expect_refused("user", [](BranchConfig& c) { c.user = std::string("a\0b", 3); });
}

TEST(CheckConfigTest, HostnameHasOnlyLettersDigitsDotsAndDashes) {
  for (std::string name : {std::string(), std::string("a b"), std::string("a_b"),
                           std::string("a\n"), std::string(65, 'a'), std::string("\xc3\xa4")})
    expect_refused("hostname", [&](BranchConfig& c) { c.hostname = name; });
  EXPECT_OK(check_config(changed([](BranchConfig& c) { c.hostname = std::string(64, 'a'); })));
  EXPECT_OK(check_config(changed([](BranchConfig& c) { c.hostname = "node-1.example"; })));
}

TEST(CheckConfigTest, EnvironmentNamesAreIdentifiersAndValuesHaveNoNul) {
  for (const char* name : {"", "1A", "A B", "A=B", "A-B", "\xc3\xa4"})
    expect_refused("environment variable", [&](BranchConfig& c) { c.env[name] = "x"; });
  expect_refused("value of A", [](BranchConfig& c) { c.env["A"] = std::string("\0", 1); });
  EXPECT_OK(check_config(changed([](BranchConfig& c) {
    c.env = {{"_a1", ""}, {"B", "x=y\n\xff"}};
  })));
}

TEST(CheckConfigTest, WindowSizeIsLimited) {
  for (WindowSize size :
       {WindowSize{0, 80}, WindowSize{24, 1}, WindowSize{501, 80}, WindowSize{24, 1001}})
    expect_refused("window", [&](BranchConfig& c) { c.window = size; });
  for (WindowSize size : {WindowSize{1, 2}, WindowSize{500, 1000}})
    EXPECT_OK(check_config(changed([&](BranchConfig& c) { c.window = size; })));
}

TEST(CheckConfigTest, MemoryAndPidsLimitsMustAllowAShell) {
  expect_refused("memory", [](BranchConfig& c) { c.limits.memory_bytes = (16U << 20U) - 1; });
  expect_refused("pids", [](BranchConfig& c) { c.limits.pids = 7; });
  EXPECT_OK(check_config(changed([](BranchConfig& c) { c.limits = {16U << 20U, 8, 0.01}; })));
}

TEST(CheckConfigTest, CpuLimitMustBeWithinItsBounds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double cpus :
       {0.0, 0.009, -1.0, 1025.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()})
    expect_refused("cpu", [&](BranchConfig& c) { c.limits.cpus = cpus; });
}

TEST(CheckConfigTest, UnknownCapabilityIsNamedInTheError) {
  expect_refused("sys_everything", [](BranchConfig& c) {
    c.extra_capabilities = {"kill", "sys_everything"};
  });
}

TEST(ShellEnvironmentTest, DefaultsDependOnlyOnTheUser) {
  std::vector<std::string> env = shell_environment({}, "ada", "/home/ada");
  EXPECT_THAT(env, ::testing::IsSupersetOf({"HOME=/home/ada", "USER=ada", "LOGNAME=ada",
                                            "TERM=xterm-256color", "LANG=C.UTF-8", "PAGER=cat",
                                            "GIT_PAGER=cat", "SHELL=/bin/bash"}));
  EXPECT_EQ(env, shell_environment({}, "ada", "/home/ada"));
}

TEST(ShellEnvironmentTest, ConfigOverridesDefaultsWithoutDuplicates) {
  BranchConfig config;
  config.env = {{"PATH", "/opt/bin"}, {"HOME", ""}, {"MINE", "a=b"}};
  std::vector<std::string> env = shell_environment(config, "root", "/root");
  EXPECT_THAT(env, ::testing::IsSupersetOf({"PATH=/opt/bin", "HOME=", "MINE=a=b"}));
  std::vector<std::string> names;
  for (const std::string& entry : env) names.push_back(entry.substr(0, entry.find('=')));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

BranchConfig full_config() {
  BranchConfig config;
  config.root = "/srv/root";
  config.user = "1000";
  config.cwd = "/home";
  config.hostname = "h";
  config.env = {{"A", "1"}, {"B", "\xc3\xa4\n"}};
  config.window = {50, 200};
  config.network = Network::kHost;
  config.limits = {1ULL << 40U, 100, 1.5};
  config.extra_capabilities = {"sys_admin"};
  return config;
}

TEST(BranchConfigJsonTest, EveryFieldSurvivesARoundTrip) {
  for (const BranchConfig& config : {BranchConfig{}, full_config()}) {
    Json json = to_json(config);
    ASSERT_OK_AND_ASSIGN(BranchConfig back, branch_config_from_json(Json::parse(json.dump())));
    EXPECT_EQ(to_json(back), json);
    EXPECT_EQ(back.root, config.root);
    EXPECT_EQ(back.env, config.env);
    EXPECT_EQ(back.window, config.window);
    EXPECT_EQ(back.network, config.network);
    EXPECT_EQ(back.limits.memory_bytes, config.limits.memory_bytes);
    EXPECT_EQ(back.limits.cpus, config.limits.cpus);
    EXPECT_EQ(back.extra_capabilities, config.extra_capabilities);
  }
}

TEST(BranchConfigJsonTest, MissingKeyIsNamedInTheError) {
  for (const char* key : {"root", "user", "cwd", "hostname", "env", "rows", "cols", "network",
                          "extra_capabilities"}) {
    Json json = to_json(full_config());
    json.erase(key);
    auto config = branch_config_from_json(json);
    ASSERT_FALSE(config.ok()) << key;
    EXPECT_EQ(config.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(config.error().message.find(key), std::string::npos) << config.error().message;
  }
}

TEST(BranchConfigJsonTest, WrongTypeInAnyFieldIsCorrupt) {
  const Json good = to_json(full_config());
  for (const auto& [key, value] : good.items()) {
    Json json = good;
    json[key] = value.is_string() ? Json(5) : Json("text");
    EXPECT_FALSE(branch_config_from_json(json).ok()) << key;
  }
  EXPECT_FALSE(branch_config_from_json(Json()).ok());
  EXPECT_FALSE(branch_config_from_json(Json::array()).ok());
}

TEST(BranchConfigJsonTest, UnknownNetworkIsCorrupt) {
  Json json = to_json(full_config());
  json["network"] = "bridge";
  EXPECT_FALSE(branch_config_from_json(json).ok());
}

TEST(BranchConfigJsonTest, OutOfRangeNumberIsCorrupt) {
  for (const char* key : {"rows", "cols"}) {
    Json json = to_json(full_config());
    json[key] = 65536 + 24;
    EXPECT_FALSE(branch_config_from_json(json).ok()) << key;
  }
}

}  // namespace
}  // namespace sf::waypoint
