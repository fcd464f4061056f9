#include "explore/tasks/copy_step.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore {
namespace {

class CopyStepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(os::make_directories(dir_ / "sub"));
    ASSERT_OK(os::write_file(dir_ / "tool", "#!/bin/sh\n", 0755));
    ASSERT_OK(os::write_file(dir_ / "sub/file", "text\n", 0644));
  }
  CopyPlan plan(const BuildStep& step) { return plan_copy(step, dir_.path()).value(); }
  static std::vector<std::string> targets(const CopyPlan& plan) {
    std::vector<std::string> all;
    for (const UploadPlan::File& file : plan.upload.files) all.push_back(file.to);
    return all;
  }
  test::TempDir dir_;
};

TEST_F(CopyStepTest, CopyingADirectoryCopiesItsContents) {
  const CopyPlan made = plan({.sources = {{"sub/", "", ""}}, .target = "/app"});
  EXPECT_EQ(targets(made), std::vector<std::string>{"/app/file"});
  EXPECT_EQ(made.command, "");
}

TEST_F(CopyStepTest, OwnersAndModesAreSetOnCopiedFilesOnly) {
  const BuildStep step{.sources = {{"sub", "", ""}}, .target = "/", .chown = "me", .chmod = "700"};
  const CopyPlan made = plan(step);
  EXPECT_EQ(made.command.find("-R"), std::string::npos) << made.command;
  EXPECT_EQ(made.command.find("'/' "), std::string::npos) << made.command;
  EXPECT_NE(made.command.find("chmod '700' -- '/file'"), std::string::npos) << made.command;
  EXPECT_NE(made.command.find("chown -h 'me' -- '/file'"), std::string::npos) << made.command;
}

// Runs the command on the host's own files, because only a shell knows whether the target exists.
TEST_F(CopyStepTest, CopyingAFileIntoADirectoryKeepsOtherFiles) {
  ASSERT_OK(os::make_directories(dir_ / "bin"));
  ASSERT_OK(os::write_file(dir_ / "bin/other", "", 0600));
  const BuildStep step{.sources = {{"tool", "", ""}}, .target = dir_ / "bin", .chmod = "711"};
  const CopyPlan made = plan(step);
  ASSERT_EQ(targets(made).size(), 1U);
  std::string command = made.command;
  const std::string aside = targets(made).front();
  for (std::size_t at = 0; (at = command.find(aside, at)) != std::string::npos;)
    command.replace(at, aside.size(), dir_ / "tool");
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(::access((dir_ / "bin/tool").c_str(), X_OK), 0);
  EXPECT_NE(::access((dir_ / "bin/other").c_str(), X_OK), 0) << "the mode of another file changed";
}

TEST_F(CopyStepTest, FilesOutsideTheContextAreRejected) {
  ASSERT_EQ(::symlink("/etc", (dir_ / "out").c_str()), 0);
  for (const char* from : {"../x", "out/passwd", "sub/../../etc"}) {
    auto made = plan_copy({.sources = {{from, "", ""}}, .target = "/app"}, dir_.path());
    ASSERT_FALSE(made.ok()) << from;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument) << from;
  }
}

}  // namespace
}  // namespace sf::explore
