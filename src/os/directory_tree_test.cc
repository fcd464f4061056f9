#include "os/directory_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/limits.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "base/scope_exit.h"
#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::os {
namespace {

struct stat info_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}

void set_times(const std::string& path, time_t accessed, time_t modified) {
  struct timespec times[2] = {{accessed, 123'456'789}, {modified, 987'654'321}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << path;
}

void expect_same_attributes(const std::string& from, const std::string& to) {
  struct stat a = info_of(from);
  struct stat b = info_of(to);
  EXPECT_EQ(a.st_mode, b.st_mode) << to;
  EXPECT_EQ(a.st_uid, b.st_uid) << to;
  EXPECT_EQ(a.st_gid, b.st_gid) << to;
  EXPECT_EQ(a.st_atim.tv_sec, b.st_atim.tv_sec) << to;
  EXPECT_EQ(a.st_atim.tv_nsec, b.st_atim.tv_nsec) << to;
  EXPECT_EQ(a.st_mtim.tv_sec, b.st_mtim.tv_sec) << to;
  EXPECT_EQ(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec) << to;
}

class CopyTreeTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(make_directories(from())); }
  std::string from(const std::string& name = "") const { return dir_ / ("from" + name); }
  std::string to(const std::string& name = "") const { return dir_ / ("to" + name); }

  test::TempDir dir_;
};

TEST_F(CopyTreeTest, FilesAndDirectoriesKeepContentModeAndTimes) {
  ASSERT_OK(make_directories(from("/a/b")));
  ASSERT_OK(write_file(from("/a/b/text"), "content"));
  ASSERT_OK(write_file(from("/a/empty"), ""));
  ASSERT_EQ(::chmod(from("/a/b/text").c_str(), 04711), 0);
  ASSERT_EQ(::chmod(from("/a/empty").c_str(), 0000), 0);
  ASSERT_EQ(::chmod(from("/a/empty").c_str(), 0400), 0);
  set_times(from("/a/b/text"), 1000, 2000);
  set_times(from("/a/b"), 3000, 4000);
  ASSERT_EQ(::chmod(from("/a/b").c_str(), 0555), 0);
  set_times(from("/a"), 5000, 6000);
  set_times(from(), 7000, 8000);
  ASSERT_OK(copy_tree(from(), to()));
  for (const char* name : {"/a/b/text", "/a/empty"}) expect_same_attributes(from(name), to(name));
  // copy_tree() may have changed the access time of the source directories by listing them, so
  // compare only modification times and modes.
  for (const char* name : {"/a/b", "/a", ""}) {
    EXPECT_EQ(info_of(to(name)).st_mtim.tv_sec, info_of(from(name)).st_mtim.tv_sec) << name;
    EXPECT_EQ(info_of(to(name)).st_mode, info_of(from(name)).st_mode) << name;
  }
  ASSERT_OK_AND_ASSIGN(std::string text, read_file(to("/a/b/text")));
  EXPECT_EQ(text, "content");
  for (const std::string& each : {from("/a/b"), to("/a/b")}) ::chmod(each.c_str(), 0700);
}

TEST_F(CopyTreeTest, TheModeDoesNotDependOnTheUmask) {
  ASSERT_OK(write_file(from("/f"), ""));
  ASSERT_EQ(::chmod(from("/f").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo(from("/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(from("/pipe").c_str(), 0622), 0);
  mode_t old = ::umask(077);
  Status copied = copy_tree(from(), to());
  ::umask(old);
  ASSERT_OK(copied);
  EXPECT_EQ(info_of(to("/f")).st_mode & 07777U, 0666U);
  EXPECT_EQ(info_of(to("/pipe")).st_mode & 07777U, 0622U);
}

TEST_F(CopyTreeTest, HardLinksAreKept) {
  ASSERT_OK(make_directories(from("/sub")));
  ASSERT_OK(write_file(from("/one"), "shared"));
  ASSERT_OK(write_file(from("/alone"), "shared"));
  ASSERT_EQ(::link(from("/one").c_str(), from("/two").c_str()), 0);
  ASSERT_EQ(::link(from("/one").c_str(), from("/sub/three").c_str()), 0);
  ASSERT_OK(copy_tree(from(), to()));
  ino_t one = info_of(to("/one")).st_ino;
  EXPECT_EQ(info_of(to("/two")).st_ino, one);
  EXPECT_EQ(info_of(to("/sub/three")).st_ino, one);
  EXPECT_EQ(info_of(to("/one")).st_nlink, 3U);
  EXPECT_NE(info_of(to("/alone")).st_ino, one);
  EXPECT_NE(info_of(from("/one")).st_ino, one);
}

TEST_F(CopyTreeTest, SymbolicLinksAreCopiedAsLinksWithTheirTimes) {
  ASSERT_EQ(::symlink("/etc/passwd", from("/absolute").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", from("/dangling").c_str()), 0);
  ASSERT_EQ(::symlink("..", from("/loop").c_str()), 0);
  set_times(from("/dangling"), 1000, 2000);
  ASSERT_OK(copy_tree(from(), to()));
  ASSERT_OK_AND_ASSIGN(std::string absolute, read_link(to("/absolute")));
  EXPECT_EQ(absolute, "/etc/passwd");
  ASSERT_OK_AND_ASSIGN(std::string loop, read_link(to("/loop")));
  EXPECT_EQ(loop, "..");
  EXPECT_EQ(info_of(to("/dangling")).st_mtim.tv_sec, 2000);
}

TEST_F(CopyTreeTest, PipesAndSocketsAreCopied) {
  ASSERT_EQ(::mkfifo(from("/pipe").c_str(), 0640), 0);
  ASSERT_EQ(::mknod(from("/socket").c_str(), S_IFSOCK | 0600, 0), 0);
  ASSERT_OK(copy_tree(from(), to()));
  expect_same_attributes(from("/pipe"), to("/pipe"));
  expect_same_attributes(from("/socket"), to("/socket"));
}

TEST_F(CopyTreeTest, AHoleStaysAHole) {
  ASSERT_OK_AND_ASSIGN(UniqueFd file, open_file(from("/sparse"), O_WRONLY | O_CREAT));
  constexpr off_t kSize = 64 << 20;
  ASSERT_EQ(::pwrite(file.get(), "begin", 5, 0), 5);
  ASSERT_EQ(::pwrite(file.get(), "middle", 6, kSize / 2), 6);
  ASSERT_EQ(::ftruncate(file.get(), kSize), 0);
  ASSERT_OK_AND_ASSIGN(UniqueFd hole, open_file(from("/hole"), O_WRONLY | O_CREAT));
  ASSERT_EQ(::ftruncate(hole.get(), kSize), 0);
  ASSERT_OK(copy_tree(from(), to()));
  EXPECT_EQ(info_of(to("/sparse")).st_size, kSize);
  EXPECT_LT(info_of(to("/sparse")).st_blocks * 512, 1 << 20);
  EXPECT_EQ(info_of(to("/hole")).st_size, kSize);
  EXPECT_LT(info_of(to("/hole")).st_blocks * 512, 1 << 20);
  ASSERT_OK_AND_ASSIGN(std::string first, read_file(from("/sparse"), 128U << 20U));
  ASSERT_OK_AND_ASSIGN(std::string second, read_file(to("/sparse"), 128U << 20U));
  EXPECT_TRUE(first == second);
}

TEST_F(CopyTreeTest, ExtendedAttributesAreCopied) {
  ASSERT_OK(write_file(from("/f"), "x"));
  ASSERT_OK(make_directories(from("/d")));
  if (::setxattr(from("/f").c_str(), "user.colour", "blue", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no user attributes";
  ASSERT_EQ(::setxattr(from("/f").c_str(), "user.empty", "", 0, 0), 0);
  ASSERT_EQ(::setxattr(from("/d").c_str(), "user.binary", "\0\xff", 2, 0), 0);
  ASSERT_EQ(::setxattr(from().c_str(), "user.top", "1", 1, 0), 0);
  ASSERT_EQ(::chmod(from("/f").c_str(), 0444), 0);
  ASSERT_OK(copy_tree(from(), to()));
  char value[16] = {};
  EXPECT_EQ(::getxattr(to("/f").c_str(), "user.colour", value, sizeof value), 4);
  EXPECT_EQ(std::string_view(value, 4), "blue");
  EXPECT_EQ(::getxattr(to("/f").c_str(), "user.empty", value, sizeof value), 0);
  EXPECT_EQ(::getxattr(to("/d").c_str(), "user.binary", value, sizeof value), 2);
  EXPECT_EQ(std::string_view(value, 2), std::string_view("\0\xff", 2));
  EXPECT_EQ(::getxattr(to().c_str(), "user.top", value, sizeof value), 1);
}

// Makes (or follows) a chain of directories below `top`; returns the last one.
UniqueFd descend(const std::string& top, int levels, const std::string& name, bool make) {
  UniqueFd at = open_file(top, O_RDONLY | O_DIRECTORY).value();
  for (int level = 0; level < levels; ++level) {
    if (make && ::mkdirat(at.get(), name.c_str(), 0700) != 0) return {};
    auto next = open_at(at.get(), name, O_RDONLY | O_DIRECTORY);
    if (!next) return {};
    at = std::move(*next);
  }
  return at;
}

TEST_F(CopyTreeTest, ATreeDeeperThanPathMaxIsCopiedCompletely) {
  const std::string name(200, 'd');
  constexpr int kLevels = 3 * PATH_MAX / 200;
  UniqueFd bottom = descend(from(), kLevels, name, true);
  ASSERT_TRUE(bottom.valid());
  UniqueFd file = open_at(bottom.get(), "file", O_WRONLY | O_CREAT, 0640).value();
  ASSERT_OK(write_all(file.get(), "deep"));
  ASSERT_EQ(::fsetxattr(file.get(), "user.colour", "blue", 4, 0), 0);
  ASSERT_EQ(::fsetxattr(bottom.get(), "user.place", "bottom", 6, 0), 0);
  ASSERT_EQ(::linkat(bottom.get(), "file", bottom.get(), "second", 0), 0);
  UniqueFd top = open_file(from(), O_RDONLY | O_DIRECTORY).value();
  ASSERT_EQ(::linkat(bottom.get(), "file", top.get(), "first", 0), 0);
  ASSERT_EQ(::symlinkat("file", bottom.get(), "link"), 0);

  ASSERT_OK(copy_tree(from(), to()));

  UniqueFd copy = descend(to(), kLevels, name, false);
  ASSERT_TRUE(copy.valid());
  ASSERT_OK_AND_ASSIGN(UniqueFd copied, open_at(copy.get(), "link", O_RDONLY));
  char value[16] = {};
  EXPECT_EQ(::read(copied.get(), value, sizeof value), 4);
  EXPECT_EQ(std::string_view(value, 4), "deep");
  EXPECT_EQ(::fgetxattr(copied.get(), "user.colour", value, sizeof value), 4);
  EXPECT_EQ(std::string_view(value, 4), "blue");
  EXPECT_EQ(::fgetxattr(copy.get(), "user.place", value, sizeof value), 6);
  struct stat second {};
  ASSERT_EQ(::fstatat(copy.get(), "second", &second, 0), 0);
  EXPECT_EQ(second.st_nlink, 3U);
  EXPECT_EQ(second.st_mode & 07777U, 0640U);
  EXPECT_EQ(second.st_ino, info_of(to("/first")).st_ino);
  EXPECT_EQ(tree_bytes(from()), tree_bytes(to()));
  EXPECT_GT(tree_bytes(to()), static_cast<std::uint64_t>(kLevels) * 4096);
}

TEST_F(CopyTreeTest, ADirectoryKeepsItsTimesWhenItsContentIsCopied) {
  ASSERT_OK(make_directories(from("/a/b/c")));
  ASSERT_OK(write_file(from("/a/b/c/file"), "x"));
  for (const char* name : {"/a/b/c", "/a/b", "/a", ""}) set_times(from(name), 1000, 2000);
  ASSERT_OK(copy_tree(from(), to()));
  for (const char* name : {"/a/b/c", "/a/b", "/a", ""})
    EXPECT_EQ(info_of(to(name)).st_mtim.tv_sec, 2000) << name;
}

class LowDescriptorLimit {
 public:
  explicit LowDescriptorLimit(rlim_t limit) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit low = before_;
    low.rlim_cur = limit;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  LowDescriptorLimit(const LowDescriptorLimit&) = delete;
  LowDescriptorLimit& operator=(const LowDescriptorLimit&) = delete;
  ~LowDescriptorLimit() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST_F(CopyTreeTest, ATreeDeeperThanTheDescriptorLimitIsCopied) {
  constexpr int kLevels = 200;
  ASSERT_TRUE(descend(from(), kLevels, "d", true).valid());
  {
    LowDescriptorLimit limit(40);
    ASSERT_OK(copy_tree(from(), to()));
    EXPECT_GT(tree_bytes(to()), static_cast<std::uint64_t>(kLevels) * 4096);
  }
  EXPECT_TRUE(descend(to(), kLevels, "d", false).valid());
}

// Makes every listing of attributes in this process fail with `error` from now on.
void break_attribute_listing(unsigned error) {
  const std::array<sock_filter, 4> program = {
      {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
       {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_listxattr},
       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  sock_fprog filter{program.size(), const_cast<sock_filter*>(program.data())};
  SF_CHECK(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  SF_CHECK(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

TEST_F(CopyTreeTest, AttributesThatCannotBeListedFailTheCopyUnlessTheFileSystemHasNone) {
  ASSERT_OK(write_file(from("/file"), "x"));
  auto copy_with = [&](unsigned error) {
    break_attribute_listing(error);
    Status copied = copy_tree(from(), to(std::to_string(error)));
    std::fputs(copied ? "copied" : copied.error().message.c_str(), stderr);
    ::_exit(0);
  };
  EXPECT_EXIT(copy_with(EIO), ::testing::ExitedWithCode(0), "attributes of file.*EIO");
  EXPECT_EXIT(copy_with(ENOTSUP), ::testing::ExitedWithCode(0), "^copied$");
}

TEST_F(CopyTreeTest, AnExistingTargetIsRefusedAndLeftAlone) {
  ASSERT_OK(make_directories(to()));
  ASSERT_OK(write_file(to("/mine"), "x"));
  EXPECT_FALSE(copy_tree(from(), to()).ok());
  EXPECT_TRUE(exists(to("/mine")));
}

TEST_F(CopyTreeTest, AMissingSourceIsAnErrorThatNamesIt) {
  Status copied = copy_tree(dir_ / "missing", to());
  ASSERT_FALSE(copied.ok());
  EXPECT_NE(copied.error().message.find("missing"), std::string::npos);
}

TEST_F(CopyTreeTest, ATreeIsCopiedToAnotherFileSystem) {
  std::string other = "/dev/shm/copy-tree-test.XXXXXX";
  if (::mkdtemp(other.data()) == nullptr) GTEST_SKIP() << "/dev/shm cannot be written";
  ScopeExit clean([&] { (void)remove_tree(other); });
  if (info_of(other).st_dev == info_of(from()).st_dev) GTEST_SKIP() << "/dev/shm is no other one";
  ASSERT_OK(write_file(from("/f"), "content"));
  ASSERT_OK(copy_tree(from(), other + "/to"));
  ASSERT_OK_AND_ASSIGN(std::string text, read_file(other + "/to/f"));
  EXPECT_EQ(text, "content");
}

TEST(RemoveTreeTest, AMissingPathIsFine) {
  test::TempDir dir;
  EXPECT_OK(remove_tree(dir / "missing"));
  EXPECT_OK(remove_tree(dir / "missing/below"));
}

TEST(RemoveTreeTest, TheWholeTreeIsRemovedAndLinksAreNotFollowed) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "tree/a/b"));
  ASSERT_OK(make_directories(dir / "outside"));
  ASSERT_OK(write_file(dir / "outside/f", "stays"));
  ASSERT_EQ(::symlink("../outside", (dir / "tree/link").c_str()), 0);
  ASSERT_EQ(::symlink((dir / "outside/f").c_str(), (dir / "tree/a/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((dir / "tree/a/b/pipe").c_str(), 0600), 0);
  ASSERT_OK(remove_tree(dir / "tree"));
  EXPECT_FALSE(exists(dir / "tree"));
  EXPECT_TRUE(exists(dir / "outside/f"));
}

TEST(RemoveTreeTest, ALinkItselfIsRemovedAndItsTargetStays) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "real/below"));
  ASSERT_EQ(::symlink("real", (dir / "link").c_str()), 0);
  ASSERT_OK(remove_tree(dir / "link"));
  EXPECT_FALSE(exists(dir / "link"));
  EXPECT_TRUE(exists(dir / "real/below"));
}

TEST(RemoveTreeTest, ASingleFileIsATreeToo) {
  test::TempDir dir;
  ASSERT_OK(write_file(dir / "f", "x"));
  ASSERT_OK(remove_tree(dir / "f"));
  EXPECT_FALSE(exists(dir / "f"));
}

TEST(RemoveTreeTest, NamesOfAnyBytesAreRemoved) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "tree"));
  for (const char* name : {"\xff\xfe", "new\nline", " ", "-rf", "..."})
    ASSERT_OK(write_file(dir / ("tree/" + std::string(name)), ""));
  ASSERT_OK(remove_tree(dir / "tree"));
}

// Any process in a branch can make such a tree; its checkpoint must still be removable.
TEST(RemoveTreeTest, ATreeDeeperThanTheDescriptorLimitIsRemoved) {
  test::TempDir dir;
  std::string path = dir / "tree";
  for (int i = 0; i < 120; ++i) {
    ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
    path += "/d";
  }
  LowDescriptorLimit limit(80);
  EXPECT_OK(remove_tree(dir / "tree"));
}

TEST(TreeBytesTest, HardLinksAndHolesDoNotCount) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "tree"));
  std::uint64_t empty = tree_bytes(dir / "tree");
  ASSERT_OK(write_file(dir / "tree/f", std::string(1 << 20, 'x')));
  std::uint64_t one = tree_bytes(dir / "tree");
  EXPECT_GE(one, empty + (1 << 20));
  ASSERT_EQ(::link((dir / "tree/f").c_str(), (dir / "tree/g").c_str()), 0);
  ASSERT_OK(write_file(dir / "tree/hole", ""));
  ASSERT_EQ(::truncate((dir / "tree/hole").c_str(), 1 << 30), 0);
  EXPECT_LT(tree_bytes(dir / "tree"), one + (1 << 20));
  EXPECT_EQ(tree_bytes(dir / "missing"), 0U);
}

}  // namespace
}  // namespace sf::os
