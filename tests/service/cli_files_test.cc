// Copying files into and out of a session, keys, and the screen.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "daemon_world.h"
#include "os/file.h"

namespace sf::test {
namespace {

class CliFilesTest : public ::testing::Test {
 protected:
  CliFilesTest() {
    world_.output({"new", "--name", "s"});
    for (int i = 0; i < 70'000; ++i) bytes_ += static_cast<char>(i * 7 % 256);
  }

  std::string content(const std::string& path) {
    auto text = os::read_file(path);
    EXPECT_OK(text);
    return text ? *text : "";
  }

  TempDir here_;
  DaemonWorld world_;
  std::string bytes_;  // every byte value
};

TEST_F(CliFilesTest, AllBytesAreCopiedInAndOutUnchanged) {
  ASSERT_OK(os::write_file(here_ / "data", bytes_));
  EXPECT_EQ(world_.output({"cp", here_ / "data", "s:/root/"}), "");
  EXPECT_EQ(world_.exec_output("s", "stat -c %s /root/data"), std::to_string(bytes_.size()));
  EXPECT_EQ(world_.output({"cp", "s:/root/data", here_ / "back"}), "");
  EXPECT_EQ(content(here_ / "back"), bytes_);
  ASSERT_OK(os::make_directories(here_ / "dir"));
  world_.output({"cp", "s:/root/data", here_ / "dir"});
  EXPECT_EQ(content(here_ / "dir/data"), bytes_);
}

TEST_F(CliFilesTest, StandardStreamsAreFilesToo) {
  EXPECT_EQ(world_.run_with_input(bytes_, {"cp", "-", "s:/root/x"}).status, 0);
  EXPECT_EQ(world_.run({"cp", "s:/root/x", "-"}).out, bytes_);
  EXPECT_EQ(world_.run_with_input("", {"cp", "-", "s:/root/empty"}).status, 0);
  EXPECT_EQ(world_.exec_output("s", "stat -c %s /root/empty"), "0");
  EXPECT_EQ(world_.run_with_input("x", {"cp", "-", "s:/root/"}).status, 1);
}

// An agent pauses between two calls; during the pause its branch is precaptured.
TEST_F(CliFilesTest, CopiedFileIsInTheNextSnapshotAfterAnyPause) {
  world_.output({"snapshot", "s"});
  for (int pause : {0, 50, 150, 400, 600, 1000}) {
    SCOPED_TRACE(pause);
    const std::string payload = "payload after " + std::to_string(pause) + " ms";
    world_.exec_output("s", "true");
    std::this_thread::sleep_for(milliseconds(pause));
    ASSERT_EQ(world_.run_with_input(payload, {"cp", "-", "s:/root/f"}).status, 0);
    world_.output({"snapshot", "s"});
    EXPECT_NE(world_.output({"diff", "s", "HEAD~1", "HEAD", "--stat"}).find("/root/f"),
              std::string::npos);
    world_.output({"restore", "s", "HEAD"});
    EXPECT_EQ(world_.exec_output("s", "cat /root/f"), payload);
    const std::string branch = world_.output({"fork", "s", "HEAD"});
    EXPECT_EQ(world_.exec_output(branch, "cat /root/f"), payload);
    world_.output({"rm", branch});
  }
}

TEST_F(CliFilesTest, ABranchHasItsOwnFiles) {
  world_.output({"fork", "s", "--name", "b"});
  EXPECT_EQ(world_.run_with_input("of b", {"cp", "-", "s/b:/root/x"}).status, 0);
  EXPECT_EQ(world_.run({"cp", "s/b:/root/x", "-"}).out, "of b");
  EXPECT_EQ(world_.run({"cp", "s:/root/x", "-"}).status, 1);
}

TEST_F(CliFilesTest, FailedCopyLeavesTheLocalFileUnchanged) {
  ASSERT_OK(os::write_file(here_ / "kept", "mine"));
  EXPECT_EQ(world_.run({"cp", "s:/no/such/file", here_ / "kept"}).status, 1);
  EXPECT_EQ(content(here_ / "kept"), "mine");
  EXPECT_EQ(world_.run({"cp", "s:/etc/hostname", here_ / "no/such/directory"}).status, 1);
  ASSERT_OK_AND_ASSIGN(auto names, os::list_directory(here_.path()));
  EXPECT_EQ(names, std::vector<std::string>{"kept"});
}

TEST_F(CliFilesTest, AFileThatIsReplacedKeepsItsModeAndALinkStays) {
  ASSERT_OK(os::write_file(here_ / "tool", "old", 0755));
  ASSERT_EQ(::symlink("tool", (here_ / "link").c_str()), 0);
  world_.run_with_input("new", {"cp", "-", "s:/root/x"});
  world_.output({"cp", "s:/root/x", here_ / "link"});
  EXPECT_EQ(content(here_ / "tool"), "new");
  struct stat info {};
  ASSERT_EQ(::lstat((here_ / "link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  ASSERT_EQ(::stat((here_ / "tool").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0755U);
  world_.output({"cp", "s:/root/x", "/dev/null"});
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(CliFilesTest, FailedCopySuggestsACommandThatWorks) {
  CommandRun directory = world_.run({"cp", here_.path(), "s:/root/"});
  EXPECT_EQ(directory.status, 1);
  EXPECT_NE(directory.err.find("tar"), std::string::npos) << directory.err;
  CommandRun both = world_.run({"cp", "s:/a", "s:/b"});
  EXPECT_NE(both.err.find("statefork cp s:/a - | statefork cp - s:/b"), std::string::npos)
      << both.err;
  CommandRun none = world_.run({"cp", here_ / "a", here_ / "b"});
  EXPECT_NE(none.err.find("S:/path"), std::string::npos) << none.err;
  ASSERT_OK(os::write_file(here_ / "big", std::string((16U << 20U) + 1, 'x')));
  CommandRun big = world_.run({"cp", here_ / "big", "s:/root/"});
  EXPECT_EQ(big.status, 1);
  EXPECT_NE(big.err.find("split"), std::string::npos) << big.err;
}

TEST_F(CliFilesTest, KeysAreTypedAndTheScreenShowsThem) {
  world_.output({"keys", "s", "echo ty", "ped; read -r answer", "Enter"});
  auto shows = [this](const std::string& text) {
    for (Deadline deadline = Deadline::after(seconds(30)); !deadline.passed();) {
      if (("\n" + world_.output({"screen", "s"}) + "\n").find("\n" + text + "\n") !=
          std::string::npos)
        return true;
    }
    return false;
  };
  EXPECT_TRUE(shows("typed"));
  world_.output({"keys", "s", "-l", "[\"a\", b]", "[c]", "Enter"});
  world_.output({"keys", "s", "--", "-[x,y]", "Enter"});
  world_.output({"keys", "s", "echo \"<$answer>\"", "C-m"});
  EXPECT_TRUE(shows("<[\"a\", b][c]Enter-[x,y]>"));
  auto screen = wire::Json::parse(world_.output({"screen", "s", "--scrollback", "5", "--json"}));
  EXPECT_TRUE(screen["rows"].is_array()) << screen.dump();
  EXPECT_EQ(world_.run({"keys", "s"}).status, 1);
}

TEST_F(CliFilesTest, ResizeGivesTheTerminalOfTheNamedBranchAnotherSize) {
  EXPECT_EQ(world_.output({"resize", "s", "99x33"}), "");
  EXPECT_EQ(world_.output({"exec", "s", "--", "stty size"}), "33 99");
  EXPECT_EQ(wire::Json::parse(world_.output({"resize", "s", "91x31", "--json"})),
            wire::Json::object());
  world_.output({"snapshot", "s"});
  world_.output({"fork", "s", "--name", "copy"});
  world_.output({"resize", "s/copy", "92x32"});
  EXPECT_EQ(world_.output({"exec", "s", "--", "stty size"}), "31 91");
  EXPECT_EQ(world_.output({"exec", "s/copy", "--", "stty size"}), "32 92");
  for (const char* size :
       {"", "x", "80", "80x", "x24", "0x24", "80x0", "80x24x", "-1x2", "65536x2"}) {
    CommandRun refused = world_.run({"resize", "s", size});
    EXPECT_NE(refused.status, 0) << size;
    EXPECT_NE(refused.err.find("resize"), std::string::npos) << size << ": " << refused.err;
  }
  EXPECT_EQ(world_.output({"exec", "s", "--", "stty size"}), "31 91");
}

}  // namespace
}  // namespace sf::test
