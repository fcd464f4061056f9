#include "testing/leak_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LeakCheckTest, OnlyNewObjectsWithAMarkAreLeaks) {
  HostState before;
  before.mounts = {"/stores/mine/old"};
  HostState after;
  after.mounts = {"/stores/mine/old", "/stores/mine/new", "/stores/neighbour/new"};
  after.processes = {"12 keeper --store /stores/mine in 0::/"};
  EXPECT_THAT(
      leaks(before, after, {"/stores/mine"}),
      ElementsAre("mount: /stores/mine/new", "process: 12 keeper --store /stores/mine in 0::/"));
}

TEST(LeakCheckTest, SharedMemoryOfOurProgramsIsALeakWithoutAMark) {
  HostState after;
  after.shared_memory = {"sf-posix", "somebody-else"};
  EXPECT_THAT(leaks({}, after, {}), ElementsAre("shared memory: sf-posix"));
}

TEST(LeakCheckTest, AnEmptyMarkMatchesNothing) {
  HostState after;
  after.mounts = {"/anything"};
  EXPECT_THAT(leaks({}, after, {""}), IsEmpty());
}

TEST(LeakCheckTest, HostStateHasMountsAndProcesses) {
  HostState state = read_host_state();
  EXPECT_FALSE(state.mounts.empty());
  EXPECT_FALSE(state.processes.empty());
}

TEST(TempDirTest, TheDirectoryIsRemovedWithItsOwner) {
  std::string path;
  {
    TempDir dir;
    path = dir.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::is_directory(path));
}

TEST(MatchersTest, AFailedResultPrintsItsCodeAndHint) {
  ::testing::AssertionResult result =
      is_ok(Status(fail(ErrorCode::kBusy, "store taken", "end the other")));
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), ::testing::HasSubstr("store taken"));
}

}  // namespace
}  // namespace sf::test
