#include "roots/root_names.h"

#include <gtest/gtest.h>

#include "roots/sha256.h"
#include "testing/matchers.h"

namespace sf::roots {
namespace {

TEST(RootNamesTest, PathsAndDigestsAreNotNames) {
  for (const char* good : {"debian", "debian:12", "a.b_c-d", "7"})
    EXPECT_OK(check_root_name(good)) << good;
  for (const std::string& bad :
       {std::string(""), std::string("a/b"), std::string("-x"), std::string(".."),
        std::string("a b"), std::string("image:debian"), sha256_of("x"), sha256_of("x").substr(7),
        std::string(129, 'a'), std::string("n\0l", 3)})
    EXPECT_FALSE(check_root_name(bad).ok()) << bad;
}

TEST(RootNamesTest, NamesRoundTripThroughTheirText) {
  const RootNames names{{"a", sha256_of("a")}, {"b", sha256_of("b")}};
  ASSERT_OK_AND_ASSIGN(RootNames back, parse_root_names(to_text(names)));
  EXPECT_EQ(back, names);
  for (const char* text :
       {"", "[]", R"({"version": 2, "names": {}})", R"({"version": 1, "names": {"a": 1}})",
        R"({"version": 1, "names": {"a": "../x"}})"})
    EXPECT_FALSE(parse_root_names(text).ok()) << text;
}

TEST(RootNamesTest, RootIsFoundByNameDigestOrPrefix) {
  const std::string one = sha256_of("one");
  const std::string two = sha256_of("two");
  const RootNames names{{"first", one}};
  auto meant = [&](std::string_view word) {
    auto found = find_root(word, names, {one, two});
    return found ? *found : std::string(to_string(found.error().code));
  };
  EXPECT_EQ(meant("first"), one);
  EXPECT_EQ(meant(two), two);
  EXPECT_EQ(meant(two.substr(7)), two);
  EXPECT_EQ(meant(two.substr(7, 6)), two);
  EXPECT_EQ(meant(two.substr(7, 5)), "not_found");
  EXPECT_EQ(meant("second"), "not_found");
  EXPECT_EQ(meant(""), "not_found");
}

TEST(RootNamesTest, AmbiguousPrefixIsRefused) {
  const std::string one = "sha256:" + std::string(64, 'a');
  const std::string two = "sha256:" + std::string(63, 'a') + "b";
  auto unclear = find_root("aaaaaaaa", {}, {one, two});
  ASSERT_FALSE(unclear.ok());
  EXPECT_EQ(unclear.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sf::roots
