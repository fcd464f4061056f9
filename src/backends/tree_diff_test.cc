#include "backends/tree_diff.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::backends {
namespace {

using control::DiffKind;
using control::StateDiff;
using control::StateDifference;

// Two plain trees. Each one is its own "upper directory", which names at least all differing paths.
class TreeDiffTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(os::make_directories(dir_ / "a"));
    ASSERT_OK(os::make_directories(dir_ / "b"));
  }
  void write(const std::string& path, const std::string& content) {
    ASSERT_OK(os::make_directories((dir_ / path).substr(0, (dir_ / path).rfind('/')), 0755));
    ASSERT_OK(os::write_file(dir_ / path, content, 0644));
  }
  FileSide side(const std::string& name) {
    return {os::InRoot::open(dir_ / name).value(), os::InRoot::open(dir_ / name).value()};
  }
  StateDiff compare(const TreeDiffLimits& limits = {}) {
    StateDiff diff;
    compare_trees(side("a"), side("b"), limits, diff);
    return diff;
  }
  std::map<std::string, StateDifference> by_name() {
    std::map<std::string, StateDifference> found;
    for (StateDifference& d : compare().differences) found[d.name] = d;
    return found;
  }

  test::TempDir dir_;
};

TEST_F(TreeDiffTest, EqualTreesDoNotDiffer) {
  for (const char* side : {"a", "b"}) {
    write(std::string(side) + "/d/same", "text\n");
    ASSERT_EQ(::symlink("same", (dir_ / (std::string(side) + "/d/link")).c_str()), 0);
  }
  EXPECT_TRUE(compare().differences.empty());
}

TEST_F(TreeDiffTest, AddedRemovedAndChangedFilesAreDistinguishedAndPatched) {
  write("a/gone", "1\n");
  write("a/edited", "1\n2\n");
  write("b/edited", "1\nzwei\n");
  write("b/new/file", "hello\n");
  auto found = by_name();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found["/gone"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["/gone"].patch, "--- /gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n");
  EXPECT_EQ(found["/edited"].kind, DiffKind::kChanged);
  EXPECT_EQ(found["/edited"].patch, "--- /edited\n+++ /edited\n@@ -1,2 +1,2 @@\n 1\n-2\n+zwei\n");
  EXPECT_EQ(found["/new"].after.substr(0, 9), "directory");
  EXPECT_EQ(found["/new/file"].kind, DiffKind::kAdded);
}

TEST_F(TreeDiffTest, ChangedModeIsADifferenceWithoutAPatch) {
  write("a/f", "x\n");
  write("b/f", "x\n");
  ASSERT_EQ(::chmod((dir_ / "b/f").c_str(), 0755), 0);
  auto found = by_name();
  ASSERT_TRUE(found.contains("/f"));
  EXPECT_NE(found["/f"].before.find("0644"), std::string::npos);
  EXPECT_NE(found["/f"].after.find("0755"), std::string::npos);
  EXPECT_EQ(found["/f"].patch, "");
}

TEST_F(TreeDiffTest, SameSizeWithOtherContentIsADifference) {
  write("a/f", "abc\n");
  write("b/f", "abd\n");
  EXPECT_TRUE(by_name().contains("/f"));
}

TEST_F(TreeDiffTest, DirectoryThatReplacesAFileIsListedWithItsContent) {
  write("a/x", "file\n");
  write("b/x/inner", "file\n");
  auto found = by_name();
  EXPECT_EQ(found["/x"].kind, DiffKind::kChanged);
  EXPECT_EQ(found["/x/inner"].kind, DiffKind::kAdded);
}

TEST_F(TreeDiffTest, LinkThatPointsOutsideIsComparedAsALink) {
  ASSERT_EQ(::symlink("/etc/passwd", (dir_ / "b/l").c_str()), 0);
  auto found = by_name();
  EXPECT_EQ(found["/l"].after, "link to /etc/passwd");
  EXPECT_EQ(found["/l"].patch, "");
}

TEST_F(TreeDiffTest, BinaryAndLargeFilesHaveNoPatch) {
  write("b/binary", std::string("a\0b", 3));
  write("b/large", std::string(300U << 10U, 'x'));
  auto found = by_name();
  EXPECT_EQ(found["/binary"].patch, "");
  EXPECT_EQ(found["/large"].patch, "");
}

TEST_F(TreeDiffTest, DifferencesAboveTheLimitAreReportedAsTruncated) {
  for (int i = 0; i < 20; ++i) write("b/f" + std::to_string(i), "x\n");
  StateDiff diff = compare({.differences = 5});
  EXPECT_EQ(diff.differences.size(), 5U);
  EXPECT_TRUE(diff.truncated);
}

}  // namespace
}  // namespace sf::backends
