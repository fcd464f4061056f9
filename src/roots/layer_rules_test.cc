#include "roots/layer_rules.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::roots {
namespace {

std::string placed(std::string_view name) {
  auto path = path_in_root(name);
  return path ? *path : "refused";
}

TEST(LayerRulesTest, NamesBecomePathsInTheRoot) {
  EXPECT_EQ(placed("etc/passwd"), "/etc/passwd");
  EXPECT_EQ(placed("./etc//passwd"), "/etc/passwd");
  EXPECT_EQ(placed("/etc/passwd"), "/etc/passwd");
  EXPECT_EQ(placed("etc/"), "/etc");
  EXPECT_EQ(placed("."), "/");
  EXPECT_EQ(placed("./"), "/");
  EXPECT_EQ(placed("..a/b.."), "/..a/b..");
}

TEST(LayerRulesTest, NamesWithDotDotAreRefused) {
  for (const char* name : {"..", "../etc", "a/../../b", "a/..", "/.."})
    EXPECT_EQ(placed(name), "refused") << name;
  EXPECT_EQ(placed(""), "refused");
}

TEST(LayerRulesTest, PathSplitsIntoDirectoryAndName) {
  EXPECT_EQ(split_path("/etc").directory, "/");
  EXPECT_EQ(split_path("/etc").name, "etc");
  EXPECT_EQ(split_path("/a/b/c").directory, "/a/b");
  EXPECT_EQ(split_path("/a/b/c").name, "c");
  EXPECT_EQ(split_path("/").name, "");
}

TEST(LayerRulesTest, SpecialNamesHideFilesOfLowerLayers) {
  using Kind = LayerMark::Kind;
  EXPECT_EQ(layer_mark("file").kind, Kind::kNone);
  EXPECT_EQ(layer_mark(".why").kind, Kind::kNone);
  EXPECT_EQ(layer_mark(".wh.file").kind, Kind::kHidesOne);
  EXPECT_EQ(layer_mark(".wh.file").name, "file");
  EXPECT_EQ(layer_mark(".wh..hidden").name, ".hidden");
  EXPECT_EQ(layer_mark(".wh..wh..opq").kind, Kind::kHidesAll);
  EXPECT_EQ(layer_mark(".wh..wh.plnk").kind, Kind::kNoise);
}

TEST(LayerRulesTest, WhiteoutsOfDotNamesHideNothing) {
  using Kind = LayerMark::Kind;
  EXPECT_EQ(layer_mark(".wh.").kind, Kind::kNoise);
  EXPECT_EQ(layer_mark(".wh..").kind, Kind::kNoise);
  EXPECT_EQ(layer_mark(".wh...").kind, Kind::kNoise);
}

TEST(LayerRulesTest, AttributesThatControlTheKernelAreDropped) {
  EXPECT_TRUE(keeps_attribute("security.capability"));
  EXPECT_TRUE(keeps_attribute("user.mime_type"));
  for (const char* name :
       {"trusted.overlay.opaque", "trusted.overlay.redirect", "trusted.x", "user.overlay.opaque",
        "security.selinux", "security.ima", "system.posix_acl_access", ""})
    EXPECT_FALSE(keeps_attribute(name)) << name;
}

}  // namespace
}  // namespace sf::roots
