#include "os/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "os/socket.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::os {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

TEST(ReadFileTest, BinaryContentIsReadUnchanged) {
  test::TempDir dir;
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes.push_back(static_cast<char>(i * 7));
  ASSERT_OK(write_file(dir / "f", bytes));
  ASSERT_OK_AND_ASSIGN(std::string read, read_file(dir / "f"));
  EXPECT_TRUE(read == bytes);
}

TEST(ReadFileTest, AFileAtTheCapIsReadAndOneByteMoreIsAnError) {
  test::TempDir dir;
  ASSERT_OK(write_file(dir / "f", std::string(100, 'x')));
  EXPECT_OK(read_file(dir / "f", 100));
  auto longer = read_file(dir / "f", 99);
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().code, ErrorCode::kCorrupt);
}

TEST(ReadFileTest, AnEndlessFileStopsAtTheCap) { EXPECT_FALSE(read_file("/dev/zero", 1000).ok()); }

TEST(ReadFileTest, AMissingFileIsNotFoundAndNamed) {
  auto missing = read_file("/nowhere/at/all");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("/nowhere/at/all"), std::string::npos);
  EXPECT_NE(missing.error().message.find("ENOENT"), std::string::npos);
}

TEST(ReadFileTest, EveryDescriptorIsCloseOnExec) {
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, open_file("/dev/null", O_RDONLY));
  EXPECT_EQ(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

class PipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int fds[2] = {-1, -1};
    ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    read_end.reset(fds[0]);
    write_end.reset(fds[1]);
    ASSERT_OK(set_nonblocking(read_end.get()));
  }
  UniqueFd read_end;
  UniqueFd write_end;
};

TEST_F(PipeTest, ReadAvailableReturnsPresentBytesWithoutWaitingForMore) {
  std::string out = "before ";
  ASSERT_OK(write_all(write_end.get(), "now"));
  ASSERT_OK_AND_ASSIGN(bool open, read_available(read_end.get(), out, 1000));
  EXPECT_TRUE(open);
  EXPECT_EQ(out, "before now");
  ASSERT_OK_AND_ASSIGN(open, read_available(read_end.get(), out, 1000));
  EXPECT_TRUE(open);
  EXPECT_EQ(out, "before now");
}

TEST_F(PipeTest, TheLastBytesComeBeforeTheEndOfFile) {
  std::string out;
  ASSERT_OK(write_all(write_end.get(), "last"));
  write_end.reset();
  ASSERT_OK_AND_ASSIGN(bool open, read_available(read_end.get(), out, 1000));
  EXPECT_FALSE(open);
  EXPECT_EQ(out, "last");
}

TEST_F(PipeTest, AFullBufferStopsReadingAndTheRestStaysInThePipe) {
  std::string out(10, 'x');
  ASSERT_OK(write_all(write_end.get(), "more"));
  ASSERT_OK_AND_ASSIGN(bool open, read_available(read_end.get(), out, 10));
  EXPECT_TRUE(open);
  EXPECT_EQ(out.size(), 10U);
  ASSERT_OK_AND_ASSIGN(open, read_available(read_end.get(), out, 1000));
  EXPECT_EQ(out, std::string(10, 'x') + "more");
}

TEST(PublishFileTest, TheNewContentReplacesTheOldAndNoDraftStays) {
  test::TempDir dir;
  ASSERT_OK(publish_file(dir / "f", "the first, longer one"));
  ASSERT_OK(publish_file(dir / "f", "second"));
  ASSERT_OK_AND_ASSIGN(std::string read, read_file(dir / "f"));
  EXPECT_EQ(read, "second");
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, list_directory(dir.path()));
  EXPECT_EQ(names, std::vector<std::string>{"f"});
}

TEST(PublishFileTest, AReaderOfTheOldFileKeepsIt) {
  test::TempDir dir;
  ASSERT_OK(publish_file(dir / "f", "old"));
  ASSERT_OK_AND_ASSIGN(UniqueFd reader, open_file(dir / "f", O_RDONLY));
  ASSERT_OK(publish_file(dir / "f", "new"));
  ASSERT_OK_AND_ASSIGN(std::string seen, read_file(fd_path(reader.get())));
  EXPECT_EQ(seen, "old");
}

TEST(PublishFileTest, ADraftLeftByACrashIsOverwritten) {
  test::TempDir dir;
  ASSERT_OK(write_file(dir / "f.draft", "half of something much longer"));
  ASSERT_OK(publish_file(dir / "f", "whole"));
  ASSERT_OK_AND_ASSIGN(std::string read, read_file(dir / "f"));
  EXPECT_EQ(read, "whole");
}

TEST(PublishFileTest, AFailureLeavesTheOldFile) {
  test::TempDir dir;
  ASSERT_OK(publish_file(dir / "f", "old"));
  ASSERT_OK(make_directories(dir / "f.draft"));
  EXPECT_FALSE(publish_file(dir / "f", "new").ok());
  ASSERT_OK_AND_ASSIGN(std::string read, read_file(dir / "f"));
  EXPECT_EQ(read, "old");
}

TEST(PublishFileTest, TheFileIsPrivateUnlessAskedOtherwise) {
  test::TempDir dir;
  ASSERT_OK(publish_file(dir / "f", "x"));
  EXPECT_EQ(mode_of(dir / "f"), 0600U);
}

TEST(MakeDirectoriesTest, AllMissingPartsAreMadePrivate) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "a/b/c"));
  EXPECT_TRUE(is_directory(dir / "a/b/c"));
  EXPECT_EQ(mode_of(dir / "a"), 0700U);
  EXPECT_OK(make_directories(dir / "a/b/c"));
  EXPECT_OK(make_directories(dir / "a//b/d/"));
  EXPECT_TRUE(is_directory(dir / "a/b/d"));
}

TEST(MakeDirectoriesTest, MakingTheRootDirectorySucceeds) { EXPECT_OK(make_directories("/")); }

TEST(MakeDirectoriesTest, ALinkToADirectoryIsAccepted) {
  test::TempDir dir;
  ASSERT_OK(make_directories(dir / "real"));
  ASSERT_EQ(::symlink("real", (dir / "link").c_str()), 0);
  ASSERT_OK(make_directories(dir / "link/below"));
  EXPECT_TRUE(is_directory(dir / "real/below"));
}

TEST(MakeDirectoriesTest, AFileWhereADirectoryIsNeededIsAnErrorThatNamesIt) {
  test::TempDir dir;
  ASSERT_OK(write_file(dir / "f", ""));
  ASSERT_EQ(::symlink("nowhere", (dir / "dangling").c_str()), 0);
  for (const char* path : {"f", "f/below", "dangling"}) {
    Status made = make_directories(dir / path);
    ASSERT_FALSE(made.ok()) << path;
    EXPECT_NE(made.error().message.find(dir / path), std::string::npos) << made.error().message;
  }
  EXPECT_FALSE(make_directories("").ok());
}

TEST(FileTest, ExistsSeesADanglingLinkAndIsDirectoryFollowsLinks) {
  test::TempDir dir;
  ASSERT_EQ(::symlink("nowhere", (dir / "dangling").c_str()), 0);
  ASSERT_EQ(::symlink(".", (dir / "here").c_str()), 0);
  EXPECT_TRUE(exists(dir / "dangling"));
  EXPECT_FALSE(is_directory(dir / "dangling"));
  EXPECT_TRUE(is_directory(dir / "here"));
  EXPECT_FALSE(exists(dir / "missing"));
}

TEST(FileTest, LongLinksAreReadAndPathsResolved) {
  test::TempDir dir;
  std::string target(3000, 'x');
  ASSERT_EQ(::symlink(target.c_str(), (dir / "long").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(std::string read, read_link(dir / "long"));
  EXPECT_EQ(read, target);
  ASSERT_EQ(::symlink(".", (dir / "here").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(std::string link, real_path(dir / "here/./here"));
  ASSERT_OK_AND_ASSIGN(std::string plain, real_path(dir.path()));
  EXPECT_EQ(link, plain);
}

TEST(FileTest, AListingHasEachNameExactlyOnce) {
  test::TempDir dir;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back("name-" + std::to_string(i));
    ASSERT_OK(write_file(dir / expected.back(), ""));
  }
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, list_directory(dir.path()));
  std::ranges::sort(names);
  std::ranges::sort(expected);
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace sf::os
