#include "roots/image_files.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

TEST(ImageFilesTest, LinkTargetsAreNamesInTheSameImage) {
  EXPECT_EQ(link_target("a/layer.tar", "../b/layer.tar"), "b/layer.tar");
  EXPECT_EQ(link_target("a/layer.tar", "./x"), "a/x");
  EXPECT_EQ(link_target("l", "x"), "x");
  EXPECT_EQ(link_target("a/l", "../../x"), "");
  EXPECT_EQ(link_target("a/l", "/x"), "");
}

TEST(ImageFilesTest, LinksAreFollowedUpToALimit) {
  const ImageFiles files({{"file", {{"/f", 1, 2}, ""}},
                          {"one", {{}, "two"}},
                          {"two", {{}, "file"}},
                          {"round", {{}, "round"}},
                          {"nowhere", {{}, "missing"}}});
  ASSERT_OK_AND_ASSIGN(FilePart found, files.find("one"));
  EXPECT_EQ(found.offset, 1U);
  for (const char* name : {"round", "nowhere", "missing"}) {
    auto refused = files.find(name);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_NE(refused.error().message.find(name), std::string::npos);
  }
}

TEST(ImageFilesTest, LayoutHasItsFilesAndBlobs) {
  test::TempDir dir;
  ASSERT_OK(os::make_directories(dir / "blobs/sha256"));
  ASSERT_OK(os::write_file(dir / "index.json", "{}"));
  ASSERT_OK(os::write_file(dir / "blobs/sha256/abc", "blob"));
  ASSERT_OK_AND_ASSIGN(ImageFiles files, ImageFiles::in_directory(dir.path()));
  EXPECT_TRUE(files.has("index.json"));
  ASSERT_OK_AND_ASSIGN(std::string content, files.read("blobs/sha256/abc"));
  EXPECT_EQ(content, "blob");
  EXPECT_FALSE(ImageFiles::in_directory(dir / "blobs").ok());
}

TEST(ImageFilesTest, TruncatedFileIsDetected) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "f", "abc"));
  EXPECT_OK(read_part({dir / "f", 1, 2}, 100));
  EXPECT_FALSE(read_part({dir / "f", 1, 3}, 100).ok());
  EXPECT_FALSE(read_part({dir / "f", 0, 3}, 2).ok());
}

}  // namespace
}  // namespace sf::roots
