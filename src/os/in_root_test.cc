#include "os/in_root.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::os {
namespace {

class InRootTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(make_directories(dir_ / "root/d", 0755));
    ASSERT_OK(write_file(dir_ / "outside", "host"));
  }
  InRoot root() { return InRoot::open(dir_ / "root").value(); }
  void link(const std::string& target, const std::string& path) {
    ASSERT_EQ(::symlink(target.c_str(), (dir_ / ("root" + path)).c_str()), 0);
  }
  NewFile mine() const { return {::getuid(), ::getgid(), 0640}; }

  test::TempDir dir_;
};

TEST_F(InRootTest, PathsAreRelativeToTheRoot) {
  ASSERT_OK(root().replace("/d/f", "text", mine()));
  ASSERT_OK_AND_ASSIGN(std::string seen, read_file(dir_ / "root/d/f"));
  EXPECT_EQ(seen, "text");
  ASSERT_OK_AND_ASSIGN(struct stat info, root().look("/d/f"));
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
}

TEST_F(InRootTest, LinksAndDotsDoNotLeadOutOfTheRoot) {
  link("../outside", "/dots");
  link(dir_ / "outside", "/absolute");
  link("..", "/up");
  InRoot in = root();
  for (const char* path :
       {"/dots", "/absolute", "/up/outside", "/../outside", "/d/../../outside"}) {
    auto read = in.read(path, 100);
    ASSERT_FALSE(read.ok()) << path;
    EXPECT_EQ(read.error().code, ErrorCode::kNotFound) << path;
  }
  ASSERT_OK(in.replace("/dots", "inside", mine()));  // resolved within the root
  ASSERT_OK_AND_ASSIGN(std::string made, read_file(dir_ / "root/outside"));
  EXPECT_EQ(made, "inside");
  ASSERT_OK_AND_ASSIGN(std::string host, read_file(dir_ / "outside"));
  EXPECT_EQ(host, "host");
}

TEST_F(InRootTest, AReplacedFileKeepsItsMode) {
  ASSERT_OK(write_file(dir_ / "root/f", "old", 0600));
  ASSERT_EQ(::chmod((dir_ / "root/f").c_str(), 0751), 0);
  ASSERT_OK(root().replace("/f", "new", mine()));
  ASSERT_OK_AND_ASSIGN(struct stat info, root().look("/f"));
  EXPECT_EQ(info.st_mode & 07777U, 0751U);
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, root().list("/"));
  EXPECT_EQ(names.size(), 2U);  // no draft is left
}

TEST_F(InRootTest, OnlyRegularFilesAreReadAndReplaced) {
  ASSERT_EQ(::mkfifo((dir_ / "root/pipe").c_str(), 0600), 0);
  link("loop", "/loop");
  for (const char* path : {"/pipe", "/d", "/loop", "/", "/d/..", "f", ""}) {
    Status written = root().replace(path, "x", mine());
    ASSERT_FALSE(written.ok()) << path;
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument) << written.error().describe();
  }
  EXPECT_EQ(root().read("/pipe", 10).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(InRootTest, ATooLongFileIsRefusedAndNotTruncated) {
  ASSERT_OK(write_file(dir_ / "root/f", "12345"));
  EXPECT_OK(root().read("/f", 5));
  EXPECT_EQ(root().read("/f", 4).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sf::os
