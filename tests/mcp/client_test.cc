// `statefork mcp` with the official clients from npm: each script acts as one agent.
#include "../service/daemon_world.h"
#include "os/run_program.h"

namespace sf::test {
namespace {

const seconds kTimeout{200};

// The protocol revision of the client; with "auto" the client negotiates it.
class McpClientTest : public ::testing::TestWithParam<std::string> {
 protected:
  void run_script(const std::string& name) {
    std::string folder = world_.socket().substr(0, world_.socket().rfind('/'));
    auto ran = os::run_program(
        {"/usr/bin/env", "HOME=" + folder, "SF_PROGRAM=" SF_PROGRAM,
         "SF_MCP_PACKAGES=" SF_MCP_PACKAGES, "SF_SOCKET=" + world_.socket(),
         "SF_STATE=" + folder + "/state", "node", SF_MCP_SCRIPTS "/" + name, GetParam()},
        Deadline::after(kTimeout));
    ASSERT_OK(ran);
    EXPECT_EQ(ran->status.shell_code(), 0) << ran->text;
  }
  DaemonWorld world_;
};

TEST_P(McpClientTest, EveryToolWorksInASession) { run_script("walk_through.mjs"); }

TEST_P(McpClientTest, EndlessCommandBlocksItsBranchOnlyAndEndsWhenCancelled) {
  run_script("side_by_side.mjs");
}

INSTANTIATE_TEST_SUITE_P(Revisions, McpClientTest,
                         ::testing::Values("2026-07-28", "auto", "2025-11-25", "2025-06-18",
                                           "2025-03-26", "2024-11-05"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace sf::test
