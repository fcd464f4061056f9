#include "engine/criu/removed_names.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "os/fd.h"
#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint::criu {
namespace {

using Location = RemovedName::Location;

RemovedName name_of(bool is_directory, Location location) {
  return {.pid = 7,
          .process = "make",
          .holder = "descriptor 5",
          .path = "/srv/build",
          .is_directory = is_directory,
          .location = location};
}

TEST(FindReplacedTest, FreeNamesAndReplacedFilesAreNotBlockers) {
  EXPECT_TRUE(find_replaced({}).empty());
  EXPECT_TRUE(
      find_replaced({name_of(true, Location::kFree), name_of(false, Location::kFree)}).empty());
  // CRIU gives the file another name.
  EXPECT_TRUE(find_replaced({name_of(false, Location::kTaken)}).empty());
}

TEST(FindReplacedTest, ReplacedDirectoriesAndBlockedPathsAreNamedWithReasonAndAdvice) {
  for (const RemovedName& name :
       {name_of(true, Location::kTaken), name_of(true, Location::kBlocked),
        name_of(false, Location::kBlocked)}) {
    std::vector<Blocker> blockers = find_replaced({name});
    ASSERT_EQ(blockers.size(), 1U);
    EXPECT_EQ(blockers[0].pid, 7);
    EXPECT_EQ(blockers[0].process, "make");
    EXPECT_EQ(blockers[0].what, "descriptor 5 (/srv/build, removed)");
    EXPECT_FALSE(blockers[0].why.empty());
    EXPECT_FALSE(blockers[0].advice.empty());
  }
}

// Examines the descriptors of this process.
class ReadRemovedNamesTest : public ::testing::Test {
 protected:
  os::UniqueFd hold(const std::string& path) {
    return os::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::optional<Location> location_of(const os::UniqueFd& held) {
    const std::string holder = "descriptor " + std::to_string(held.get());
    for (const RemovedName& name : read_removed_names(::getpid())) {
      if (name.holder == holder) return name.location;
    }
    return std::nullopt;
  }
  test::TempDir dir_;
};

TEST_F(ReadRemovedNamesTest, ReportsWhetherTheNameIsFreeTakenOrBlocked) {
  ASSERT_OK(os::make_directories(dir_ / "a/b"));
  os::UniqueFd held = hold(dir_ / "a/b");
  EXPECT_EQ(location_of(held), std::nullopt) << "the directory has its name";
  ASSERT_EQ(::rmdir((dir_ / "a/b").c_str()), 0);
  EXPECT_EQ(location_of(held), Location::kFree);
  ASSERT_OK(os::make_directories(dir_ / "a/b"));
  EXPECT_EQ(location_of(held), Location::kTaken);
  ASSERT_EQ(::rmdir((dir_ / "a/b").c_str()), 0);
  ASSERT_EQ(::rmdir((dir_ / "a").c_str()), 0);
  EXPECT_EQ(location_of(held), Location::kFree);
  ASSERT_OK(os::write_file(dir_ / "a", "file"));
  EXPECT_EQ(location_of(held), Location::kBlocked);
}

TEST_F(ReadRemovedNamesTest, ANameThatEndsInDeletedIsNotRemoved) {
  ASSERT_OK(os::make_directories(dir_ / "a (deleted)"));
  ASSERT_OK(os::make_directories(dir_ / "a"));
  os::UniqueFd held = hold(dir_ / "a (deleted)");
  EXPECT_EQ(location_of(held), std::nullopt);
  ASSERT_EQ(::rmdir((dir_ / "a (deleted)").c_str()), 0);
  EXPECT_EQ(location_of(held), Location::kFree);
}

}  // namespace
}  // namespace sf::waypoint::criu
