#include "backends/branch_settings.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::backends {
namespace {

using control::StartConfig;
using waypoint::BranchConfig;

TEST(BranchSettingsTest, EverySettingIsConverted) {
  StartConfig wanted{.root = "/srv/root",
                     .user = "nobody",
                     .cwd = "/work",
                     .hostname = "box",
                     .network = "host",
                     .env = {{"A", "1"}},
                     .rows = 24,
                     .cols = 80,
                     .memory_bytes = 64U << 20U,
                     .max_pids = 50,
                     .cpu_percent = 150,
                     .extra_capabilities = {"sys_ptrace"}};
  ASSERT_OK_AND_ASSIGN(BranchConfig got, branch_config(wanted, "waypoint"));
  EXPECT_EQ(got.root, "/srv/root");
  EXPECT_EQ(got.user, "nobody");
  EXPECT_EQ(got.cwd, "/work");
  EXPECT_EQ(got.hostname, "box");
  EXPECT_EQ(got.env, wanted.env);
  EXPECT_EQ(got.window, (WindowSize{24, 80}));
  EXPECT_EQ(got.network, waypoint::Network::kHost);
  EXPECT_EQ(got.limits.memory_bytes, 64U << 20U);
  EXPECT_EQ(got.limits.pids, 50U);
  EXPECT_EQ(got.limits.cpus, 1.5);
  EXPECT_EQ(got.extra_capabilities, wanted.extra_capabilities);
  EXPECT_EQ(got.label, "waypoint");
  EXPECT_OK(check_config(got));
}

TEST(BranchSettingsTest, ZeroMeansNoLimit) {
  ASSERT_OK_AND_ASSIGN(BranchConfig got, branch_config({}, "waypoint"));
  EXPECT_FALSE(got.limits.memory_bytes || got.limits.pids || got.limits.cpus);
  EXPECT_FALSE(got.hostname.empty());
}

TEST(BranchSettingsTest, OnlyBackendCriuForcesTheEngineCriu) {
  ASSERT_OK_AND_ASSIGN(BranchConfig criu, branch_config({}, "criu"));
  EXPECT_EQ(criu.engine, waypoint::EngineChoice::kCriu);
  ASSERT_OK_AND_ASSIGN(BranchConfig usual, branch_config({}, "waypoint"));
  EXPECT_EQ(usual.engine, waypoint::EngineChoice::kAuto);
  EXPECT_FALSE(branch_config({.extra = {{"engine", "native"}}}, "criu").ok());
}

TEST(BranchSettingsTest, UnsupportedSettingsAreRefusedByName) {
  auto extra = branch_config({.extra = {{"image", "debian"}}}, "waypoint");
  ASSERT_FALSE(extra.ok());
  EXPECT_EQ(extra.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(extra.error().message.find("image"), std::string::npos);
  EXPECT_FALSE(branch_config({.extra = {{"engine", "native"}}}, "overlay").ok());
  EXPECT_FALSE(branch_config({.extra = {{"engine", "docker"}}}, "waypoint").ok());
  ASSERT_OK_AND_ASSIGN(BranchConfig native,
                       branch_config({.extra = {{"engine", "native"}}}, "waypoint"));
  EXPECT_EQ(native.engine, waypoint::EngineChoice::kNative);
  auto network = branch_config({.network = "bridge"}, "waypoint");
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(network.error().message.find("bridge"), std::string::npos);
}

}  // namespace
}  // namespace sf::backends
