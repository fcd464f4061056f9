#include "copied_root.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/hosted/hosted_backend.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::examples {
namespace {

using backends::HostedBackend;
using control::BranchHandle;

TEST(CopiedRootTest, RestoreBringsBackFilesAndStartsAFreshShell) {
  test::TempDir dir;
  HostedBackend backend(std::make_unique<CopiedRoot>(SF_AGENT, dir / "box"), dir / "records");
  const char* root = std::getenv("STATEFORK_SMALL_ROOT");
  ASSERT_NE(root, nullptr);
  ASSERT_OK_AND_ASSIGN(BranchHandle first, backend.start({.root = root, .hostname = "copied"}));
  auto run = [&](const BranchHandle& branch, const std::string& command) {
    auto seen = backend.exec(branch, {.command = command, .timeout = seconds(30)}, {});
    EXPECT_OK(seen) << command;
    return seen ? seen->output : "";
  };
  EXPECT_EQ(run(first, "hostname; x=5; echo old >/root/f; ls / | wc -l"), "copied\n19\n");
  ASSERT_OK_AND_ASSIGN(control::Checkpoint kept, backend.checkpoint(first));
  EXPECT_GT(kept.bytes, 1'000'000U);
  EXPECT_EQ(run(first, "echo new >/root/f; echo $x"), "5\n");

  ASSERT_OK_AND_ASSIGN(BranchHandle second, backend.restore(first, kept.ref));
  EXPECT_EQ(run(second, "cat /root/f; echo \"[$x]\""), "old\n[]\n");
  EXPECT_EQ(run(first, "cat /root/f"), "new\n") << "the first branch is unchanged";
  auto feed = backend.watch(second);
  ASSERT_OK(feed);
  EXPECT_OK(backend.write_file(second, "/root/g", "written"));
  EXPECT_EQ(run(second, "cat /root/g; echo"), "written\n");

  for (const BranchHandle& branch : {first, second}) EXPECT_OK(backend.end(branch));
  EXPECT_OK(backend.remove(kept.ref));
  ASSERT_OK_AND_ASSIGN(control::Inventory left, backend.inventory());
  EXPECT_TRUE(left.live.empty() && left.physical.empty());
}

TEST(CopiedRootTest, UnsupportedOptionsAreRejected) {
  test::TempDir dir;
  HostedBackend backend(std::make_unique<CopiedRoot>(SF_AGENT, dir / "box"), dir / "records");
  EXPECT_EQ(backend.start({.root = "/"}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(backend.start({.root = dir.path(), .max_pids = 100}).error().code,
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sf::examples
