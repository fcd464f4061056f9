#include "cli/copy_place.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::cli {
namespace {

TEST(CopyPlaceTest, AColonMakesItAFileInASession) {
  ASSERT_OK_AND_ASSIGN(CopyPlace place, parse_place("work/b1:/etc/a:b"));
  ASSERT_TRUE(place.session);
  EXPECT_EQ(place.session->session, "work");
  EXPECT_EQ(place.session->branch, "b1");
  EXPECT_EQ(place.path, "/etc/a:b");
  EXPECT_EQ(place.file_name(), "a:b");
}

TEST(CopyPlaceTest, WhatLooksLikeAPathIsHere) {
  for (const char* text : {"file", "dir/file", "./a:b", "../a:/b", "/a:/b", "-"}) {
    ASSERT_OK_AND_ASSIGN(CopyPlace place, parse_place(text));
    EXPECT_FALSE(place.session) << text;
    EXPECT_EQ(place.path, text);
  }
  EXPECT_TRUE(parse_place("-")->is_stream());
}

TEST(CopyPlaceTest, WhatCannotBeMeantIsRefusedWithTheWayToWriteIt) {
  for (const char* text : {"", "work:", "work:file", ":/x", "a/b/c:/x"})
    EXPECT_FALSE(parse_place(text).ok()) << text;
  EXPECT_NE(parse_place("work:file").error().hint.find("./work:file"), std::string::npos);
}

TEST(CopyPlaceTest, AFileGoesIntoADirectoryUnderItsName) {
  EXPECT_EQ(inside("/tmp/", "f"), "/tmp/f");
  EXPECT_EQ(inside(".", "f"), "./f");
}

}  // namespace
}  // namespace sf::cli
