#include "explore/apply/host_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore {
namespace {

constexpr std::size_t kMost = 1000;

class HostDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(os::make_directories(top()));
    ASSERT_OK(os::make_directories(outside()));
    ASSERT_OK(os::write_file(outside() + "/theirs", "theirs\n"));
    ASSERT_EQ(::symlink(outside().c_str(), (top() + "/out").c_str()), 0);
  }
  std::string top() const { return dir_ / "top"; }
  std::string outside() const { return dir_ / "outside"; }
  HostDirectory host() const { return HostDirectory::open(top()).value(); }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777U;
  }
  test::TempDir dir_;
};

TEST_F(HostDirectoryTest, WritesReadsAndRemovesFiles) {
  ASSERT_OK(host().write("a/b/file", {"text\n", 0750, false}));
  ASSERT_OK(host().write("a/link", {"b/file", 0777, true}));
  EXPECT_EQ(host().read("a/b/file", kMost).value(), (FileState{"text\n", 0750, false}));
  EXPECT_EQ(host().read("a/link", kMost).value(), (FileState{"b/file", 0777, true}));
  ASSERT_OK(host().write("a/b/file", {"other\n", 0644, false}));
  EXPECT_EQ(os::read_file(top() + "/a/b/file").value(), "other\n");
  EXPECT_EQ(mode_of(top() + "/a/b/file"), 0644U);
  ASSERT_OK(host().remove("a/b/file"));
  ASSERT_OK(host().remove("a/b/file"));
  EXPECT_EQ(host().read("a/b/file", kMost).value(), MaybeFile());
  EXPECT_EQ(os::list_directory(top() + "/a/b").value().size(), 0U) << "the draft is removed";
}

TEST_F(HostDirectoryTest, LinksAreNotFollowed) {
  EXPECT_EQ(host().read("out/theirs", kMost).value(), MaybeFile());
  EXPECT_FALSE(host().write("out/mine", {"mine\n"}));
  EXPECT_FALSE(host().write("out/deeper/mine", {"mine\n"}));
  EXPECT_OK(host().remove("out/theirs"));
  EXPECT_EQ(os::list_directory(outside()).value(), std::vector<std::string>{"theirs"});
  EXPECT_EQ(host().obstacle_above("out/x/y").value(), "out");
  EXPECT_EQ(host().obstacle_above("new/x/y").value(), std::nullopt);
}

TEST_F(HostDirectoryTest, WritingReplacesALinkAndKeepsItsTarget) {
  ASSERT_EQ(::symlink((outside() + "/theirs").c_str(), (top() + "/link").c_str()), 0);
  ASSERT_OK(host().write("link", {"mine\n"}));
  EXPECT_EQ(os::read_file(outside() + "/theirs").value(), "theirs\n");
  EXPECT_EQ(os::read_file(top() + "/link").value(), "mine\n");
}

TEST_F(HostDirectoryTest, PathsOutsideTheDirectoryAreRejected) {
  for (const char* path :
       {"../outside/theirs", "a/../../outside/theirs", "/etc/passwd", "", "a//b"})
    EXPECT_EQ(host().write(path, {"mine\n"}).error().code, ErrorCode::kInvalidArgument) << path;
}

TEST_F(HostDirectoryTest, SetIdBitsAreNotApplied) {
  ASSERT_OK(host().write("tool", {"#!/bin/sh\n", 06755, false}));
  EXPECT_EQ(mode_of(top() + "/tool"), 0755U);
}

TEST_F(HostDirectoryTest, ExistingFilesKeepTheirOwner) {
  const uid_t somebody = ::geteuid() == 0 ? 1234 : ::geteuid();  // only root may change the owner
  ASSERT_OK(os::write_file(top() + "/file", "old\n"));
  ASSERT_EQ(::chown((top() + "/file").c_str(), somebody, ::getegid()), 0);
  ASSERT_EQ(::chown(top().c_str(), somebody, ::getegid()), 0);
  ASSERT_OK(host().write("file", {"new\n"}));
  ASSERT_OK(host().write("sub/fresh", {"new\n"}));
  for (const char* name : {"/file", "/sub", "/sub/fresh"}) {
    struct stat info {};
    ASSERT_EQ(::stat((top() + name).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, somebody) << name;
  }
}

TEST_F(HostDirectoryTest, AMissingDirectoryHasNoFiles) {
  auto nothing = HostDirectory::open(dir_ / "nothing");
  ASSERT_OK(nothing);
  EXPECT_EQ(nothing->read("a", kMost).value(), MaybeFile());
  EXPECT_FALSE(os::exists(dir_ / "nothing"));
}

}  // namespace
}  // namespace sf::explore
