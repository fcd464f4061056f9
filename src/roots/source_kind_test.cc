#include "roots/source_kind.h"

#include <gtest/gtest.h>

namespace sf::roots {
namespace {

const std::string kDigits(64, 'a');

TEST(SourceKindTest, MembersThatToolsWriteMayBeInAnImage) {
  for (const std::string& name :
       {kDigits + "/", kDigits + "/layer.tar", kDigits + "/VERSION", kDigits + ".json",
        kDigits + ".tar", kDigits + ".tar.gz", "sha256:" + kDigits, std::string("blobs"),
        std::string("blobs/sha256/x"), std::string("oci-layout"), std::string("repositories"),
        std::string("config.json"), std::string("")})
    EXPECT_TRUE(may_be_in_image(name)) << name;
}

TEST(SourceKindTest, FirstMembersOfRootsAreNotInAnImage) {
  for (const char* name : {"bin", "etc/passwd", "usr/", "boot/config.json", ".dockerenv", "sbin/x",
                           "lib64", "blob", "var/lib/x.tar"})
    EXPECT_FALSE(may_be_in_image(name)) << name;
}

TEST(SourceKindTest, TableOfContentsShowsAnImage) {
  EXPECT_TRUE(shows_image("manifest.json"));
  EXPECT_TRUE(shows_image("index.json"));
  EXPECT_FALSE(shows_image("etc/manifest.json"));
}

}  // namespace
}  // namespace sf::roots
