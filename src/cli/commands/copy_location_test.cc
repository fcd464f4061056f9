#include "cli/commands/copy_location.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::cli {
namespace {

TEST(CopyLocationTest, TextWithAColonIsAFileInASession) {
  ASSERT_OK_AND_ASSIGN(CopyLocation location, parse_location("work/b1:/etc/a:b"));
  ASSERT_TRUE(location.session);
  EXPECT_EQ(location.session->session, "work");
  EXPECT_EQ(location.session->branch, "b1");
  EXPECT_EQ(location.path, "/etc/a:b");
  EXPECT_EQ(location.file_name(), "a:b");
}

TEST(CopyLocationTest, TextThatLooksLikeAPathIsOnThisHost) {
  for (const char* text : {"file", "dir/file", "./a:b", "../a:/b", "/a:/b", "-"}) {
    ASSERT_OK_AND_ASSIGN(CopyLocation location, parse_location(text));
    EXPECT_FALSE(location.session) << text;
    EXPECT_EQ(location.path, text);
  }
  EXPECT_TRUE(parse_location("-")->is_stream());
}

TEST(CopyLocationTest, MalformedLocationsAreRefusedWithAHint) {
  for (const char* text : {"", "work:", "work:file", ":/x", "a/b/c:/x"})
    EXPECT_FALSE(parse_location(text).ok()) << text;
  EXPECT_NE(parse_location("work:file").error().hint.find("./work:file"), std::string::npos);
}

TEST(CopyLocationTest, AFileGoesIntoADirectoryUnderItsName) {
  EXPECT_EQ(inside("/tmp/", "f"), "/tmp/f");
  EXPECT_EQ(inside(".", "f"), "./f");
}

}  // namespace
}  // namespace sf::cli
