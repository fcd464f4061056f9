#include "waypoint/file_stamp.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "base/clock.h"
#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMany = 1000;

class FileStampTest : public ::testing::Test {
 protected:
  FileStampTest() {
    EXPECT_OK(os::make_directories(tree_ / "a/b"));
    EXPECT_OK(os::write_file(tree_ / "a/b/file", "content"));
    EXPECT_EQ(::symlink("a/b", (tree_ / "link").c_str()), 0);
  }
  void expect_seen(const char* what, const std::function<bool()>& change) {
    SCOPED_TRACE(what);
    auto before = FileStamp::of(tree_.path(), kMany);
    ASSERT_TRUE(before.has_value());
    EXPECT_EQ(FileStamp::of(tree_.path(), kMany), before);
    ASSERT_TRUE(change());
    EXPECT_NE(FileStamp::of(tree_.path(), kMany), before);
  }

  test::TempDir tree_;
};

TEST_F(FileStampTest, EveryKindOfChangeChangesTheStamp) {
  const std::string file = tree_ / "a/b/file";
  expect_seen("write", [&] { return os::write_file(file, "longer content").ok(); });
  expect_seen("chmod", [&] { return ::chmod(file.c_str(), 0600) == 0; });
  expect_seen("link", [&] { return ::link(file.c_str(), (tree_ / "second").c_str()) == 0; });
  expect_seen("rename",
              [&] { return ::rename((tree_ / "second").c_str(), (tree_ / "third").c_str()) == 0; });
  expect_seen("unlink", [&] { return ::unlink((tree_ / "third").c_str()) == 0; });
  expect_seen("mkdir", [&] { return ::mkdir((tree_ / "a/d").c_str(), 0755) == 0; });
  expect_seen("top", [&] { return ::chmod(tree_.path().c_str(), 0711) == 0; });
  expect_seen("utimens", [&] {
    const timespec times[2] = {{1, 0}, {0, UTIME_OMIT}};
    return ::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0;
  });
}

TEST_F(FileStampTest, TreeLargerThanTheLimitHasNoStamp) {
  EXPECT_TRUE(FileStamp::of(tree_.path(), 4).has_value());  // a, b, file, link
  EXPECT_FALSE(FileStamp::of(tree_.path(), 3).has_value());
  EXPECT_FALSE(FileStamp::of(tree_ / "none", kMany).has_value());
}

TEST_F(FileStampTest, StampAroundACopyDescribesTheCopy) {
  const std::string file = tree_ / "a/b/file";
  auto until_settled = [&](const std::function<Status()>& copy) {
    // With coarse times, a stamp is refused until the last change is old enough.
    auto stamp = FileStamp::around(copy, tree_.path(), kMany);
    for (Deadline patience = Deadline::after(seconds(10));
         !stamp && stamp.error().message.find("too recently") != std::string::npos &&
         !patience.passed();)
      stamp = FileStamp::around(copy, tree_.path(), kMany);
    return stamp;
  };
  std::string copied;
  auto copy = [&]() -> Status {  // does not change the access time
    SF_TRY_ASSIGN(os::UniqueFd opened, os::open_file(file, O_RDONLY | O_NOATIME));
    copied.resize(100);
    const ssize_t got = ::read(opened.get(), copied.data(), copied.size());
    copied.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return Ok{};
  };
  ASSERT_OK_AND_ASSIGN(FileStamp stamp, until_settled(copy));
  EXPECT_EQ(copied, "content");
  EXPECT_TRUE(stamp.shows_later_changes());
  EXPECT_EQ(FileStamp::of(tree_.path(), kMany), stamp);

  auto late = until_settled([&]() -> Status {
    SF_TRY(copy());
    return os::write_file(file, "changed after the copy");
  });
  ASSERT_FALSE(late.ok()) << "the copy lacks this change";
  EXPECT_EQ(late.error().code, ErrorCode::kBusy);
  auto failed = until_settled([&]() -> Status { return fail(ErrorCode::kNoSpace, "full"); });
  EXPECT_EQ(failed.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(FileStamp::around(copy, tree_.path(), 3).error().code, ErrorCode::kUnsupported);
}

TEST(ChangeTimesTest, ChangeTimesAreFineIfKernelAndFileSystemSupportIt) {
  const os::KernelVersion old{6, 12};
  const os::KernelVersion fresh{6, 13};
  for (long location :
       {long{BTRFS_SUPER_MAGIC}, long{EXT4_SUPER_MAGIC}, long{TMPFS_MAGIC}, 0x58465342L}) {  // XFS
    EXPECT_EQ(change_times(old, location), ChangeTimes::kCoarse);
    EXPECT_EQ(change_times(fresh, location), ChangeTimes::kFine);
  }
  EXPECT_EQ(change_times(fresh, NFS_SUPER_MAGIC), ChangeTimes::kCoarse);
  EXPECT_EQ(change_times(fresh, OVERLAYFS_SUPER_MAGIC), ChangeTimes::kCoarse);
}

TEST(ChangeTimesTest, CoarseTimesHideAChangeWithinTheSameTick) {
  constexpr long kNow = 1'700'000'000'000'000'000L;
  EXPECT_FALSE(shows_later_change(kNow, kNow, ChangeTimes::kCoarse));
  EXPECT_FALSE(shows_later_change(kNow - kCoarseTickNs + 1, kNow, ChangeTimes::kCoarse));
  EXPECT_TRUE(shows_later_change(kNow - kCoarseTickNs, kNow, ChangeTimes::kCoarse));
  EXPECT_FALSE(shows_later_change(kNow + 5, kNow, ChangeTimes::kCoarse))
      << "the clock was set back";
  EXPECT_TRUE(shows_later_change(kNow, kNow, ChangeTimes::kFine));
}

TEST_F(FileStampTest, NewestChangeIsTheTimeOfTheLastChangedFile) {
  ASSERT_OK(os::write_file(tree_ / "a/b/file", "later"));
  struct stat file {};
  ASSERT_EQ(::stat((tree_ / "a/b/file").c_str(), &file), 0);
  EXPECT_EQ(FileStamp::of(tree_.path(), kMany)->newest_change_ns(),
            file.st_ctim.tv_sec * 1'000'000'000L + file.st_ctim.tv_nsec);
}

}  // namespace
}  // namespace sf::waypoint
