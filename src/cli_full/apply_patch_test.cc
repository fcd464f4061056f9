#include "cli_full/apply_patch.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/run_program.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::cli {
namespace {

using explore::ApplyStep;
using explore::FileState;
using explore::MaybeFile;

std::string patch(const std::string& path, MaybeFile before, MaybeFile wanted) {
  return patch_of(decide(path, before, std::move(wanted), before));
}

TEST(ApplyPatchTest, GitApplyGivesTheFilesOfTheRun) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "changed", "one\ntwo\n", 0644));
  ASSERT_OK(os::write_file(dir / "mode", "same\n", 0644));
  ASSERT_OK(os::write_file(dir / "gone", "old\n", 0644));
  ASSERT_OK(os::write_file(dir / "turned", "a file\n", 0644));
  const std::string all = patch("changed", FileState{"one\ntwo\n"}, FileState{"one\n2"}) +
                          patch("mode", FileState{"same\n"}, FileState{"same\n", 0755}) +
                          patch("gone", FileState{"old\n"}, {}) +
                          patch("sub/new", {}, FileState{"new\n", 0755}) +
                          patch("link", {}, FileState{"sub/new", 0777, true}) +
                          patch("turned", FileState{"a file\n"}, FileState{"changed", 0777, true}) +
                          patch("with \"quotes\"\tand tabs", {}, FileState{"odd\n"});
  ASSERT_OK(os::write_file(dir / "patch", all, 0644));
  auto applied = os::run_program({"/usr/bin/git", "-C", dir.path(), "apply", "patch"},
                                 Deadline::after(seconds(20)));
  ASSERT_OK(applied);
  EXPECT_TRUE(applied->succeeded()) << applied->text << all;
  EXPECT_EQ(os::read_file(dir / "changed").value(), "one\n2");
  EXPECT_EQ(os::read_link(dir / "link").value(), "sub/new");
  EXPECT_EQ(os::read_link(dir / "turned").value(), "changed");
  EXPECT_EQ(os::read_file(dir / "with \"quotes\"\tand tabs").value(), "odd\n");
  EXPECT_FALSE(os::exists(dir / "gone"));
}

TEST(ApplyPatchTest, UnchangedFilesAreNotInThePatch) {
  EXPECT_EQ(patch("same", FileState{"a"}, FileState{"a"}), "");
}

TEST(ApplyPatchTest, BinaryFilesAreReportedAsDifferent) {
  EXPECT_NE(patch("b", FileState{"a"}, FileState{std::string("\0", 1)}).find("Binary files a/b"),
            std::string::npos);
}

}  // namespace
}  // namespace sf::cli
