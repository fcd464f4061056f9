// Upload and download of files, with paths resolved inside the session's root.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "world.h"

namespace sf::test {
namespace {

using control::NodeId;

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.build("waypoint"); }
  Status write(const std::string& path, const std::string& content) {
    return world_.session().write_file(kMain, path, content);
  }
  Result<std::string> read(const std::string& path, std::size_t max = 1U << 20U) {
    return world_.session().read_file(kMain, path, max);
  }
  void expect_refused(const Status& status, ErrorCode code) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code) << status.error().describe();
  }

  World world_;
};

TEST_F(FilesTest, AnyBytesGoUpAndComeDownAgain) {
  std::string bytes("\0\xff\n'\"$(id)\r", 11);
  ASSERT_OK(write("/root/bytes", bytes));
  ASSERT_OK_AND_ASSIGN(std::string back, read("/root/bytes"));
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(world_.run("wc -c </root/bytes; stat -c %a:%U /root/bytes"), "11\n644:root");
}

TEST_F(FilesTest, AFileThatIsReplacedKeepsModeAndOwner) {
  world_.run("echo old >/root/f; chown 33:34 /root/f; chmod 4750 /root/f");
  ASSERT_OK(write("/root/f", "new\n"));
  EXPECT_EQ(world_.run("stat -c %a:%u:%g /root/f; cat /root/f; ls -A /root | grep statefork"),
            "4750:33:34\nnew");
}

TEST_F(FilesTest, SymbolicLinksAreFollowedInsideTheRootAndNeverLeaveIt) {
  test::TempDir outside;
  ASSERT_OK(os::write_file(outside / "secret", "host\n"));
  world_.run("mkdir -p /root/real " + outside.path() + "-copy; ln -s /root/real /root/dir");
  world_.run("ln -s ../../../../../../.." + outside.path() + "-copy/f /root/up");
  ASSERT_OK(write("/root/dir/f", "through a link\n"));
  EXPECT_EQ(world_.run("cat /root/real/f"), "through a link");
  ASSERT_OK(write("/root/up", "inside\n"));
  EXPECT_EQ(world_.run("cat " + outside.path() + "-copy/f"), "inside");
  EXPECT_FALSE(os::exists(outside.path() + "-copy"));
  // The session's base root is the host's root, so only a write shows whether the file was the
  // branch's or the host's.
  ASSERT_OK(write(outside / "secret", "branch\n"));
  ASSERT_OK_AND_ASSIGN(std::string host, os::read_file(outside / "secret"));
  EXPECT_EQ(host, "host\n");
}

TEST_F(FilesTest, PathThatIsNotARegularFileIsRefused) {
  world_.run("mkfifo /root/pipe; mkdir /root/d; ln -s loop /root/loop; seq 1000 >/root/long");
  expect_refused(write("/root/pipe", "x"), ErrorCode::kInvalidArgument);
  expect_refused(write("/root/d", "x"), ErrorCode::kInvalidArgument);
  expect_refused(write("/root/loop", "x"), ErrorCode::kInvalidArgument);
  expect_refused(write("/root/none/f", "x"), ErrorCode::kNotFound);
  expect_refused(write("relative", "x"), ErrorCode::kInvalidArgument);
  expect_refused(write("/root/long/f", "x"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("/root/pipe").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("/root/d").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("/root/none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read("/root/long", 100).error().code, ErrorCode::kInvalidArgument);
  EXPECT_OK(read("/root/long", 3893));
}

TEST_F(FilesTest, AReadDoesNotWaitForARunningCommand) {
  world_.run("echo content >/root/f; mkfifo /root/gate");
  ASSERT_OK(world_.session().send_keys(kMain, "cat /root/gate\n"));
  ASSERT_OK_AND_ASSIGN(std::string content, read("/root/f"));
  EXPECT_EQ(content, "content\n");
  ASSERT_OK(world_.session().send_keys(kMain, "\x03"));
}

TEST_F(FilesTest, AWrittenFileIsPartOfTheState) {
  ASSERT_OK(write("/root/f", "one\n"));
  NodeId here = world_.snapshot();
  ASSERT_OK(write("/root/f", "two\n"));
  world_.restore(here);
  ASSERT_OK_AND_ASSIGN(std::string content, read("/root/f"));
  EXPECT_EQ(content, "one\n");
}

TEST(FilesOfAUserTest, ANewFileBelongsToTheSessionsUser) {
  World world;
  world.build("waypoint", "eager", {.user = "nobody"});
  ASSERT_OK(world.session().write_file(kMain, "/tmp/mine", "x\n"));
  EXPECT_EQ(world.run("stat -c %U /tmp/mine; echo y >>/tmp/mine; cat /tmp/mine"), "nobody\nx\ny");
}

}  // namespace
}  // namespace sf::test
