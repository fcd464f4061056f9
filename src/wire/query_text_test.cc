#include "wire/query_text.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::wire {
namespace {

using Query = std::map<std::string, std::string>;

TEST(QueryTextTest, NamesAndValuesAreDecoded) {
  ASSERT_OK_AND_ASSIGN(Query query, parse_query("path=%2Fa+b%2fc%20d&empty=&flag&x=1=2"));
  EXPECT_EQ(query, (Query{{"path", "/a b/c d"}, {"empty", ""}, {"flag", ""}, {"x", "1=2"}}));
  ASSERT_OK_AND_ASSIGN(query, parse_query(""));
  EXPECT_TRUE(query.empty());
  ASSERT_OK_AND_ASSIGN(query, parse_query("a=%00%ff&&"));
  EXPECT_EQ(query["a"], std::string("\0\xff", 2));
}

TEST(QueryTextTest, InvalidPercentsAndRepeatedNamesAreRefused) {
  for (const char* text :
       {"a=%", "a=%1", "a=%zz", "%4=b", "a=%-1", "a=%+1", "a=1&a=2", "a=1&%61=2"})
    EXPECT_EQ(parse_query(text).error().code, ErrorCode::kInvalidArgument) << text;
}

}  // namespace
}  // namespace sf::wire
