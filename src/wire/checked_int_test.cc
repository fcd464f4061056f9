#include "wire/checked_int.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace sf::wire {
namespace {

TEST(WholeNumberTest, NumbersThatFitAreRead) {
  Json json = Json::parse(R"({"a": 65535, "b": -1, "c": 18446744073709551615, "d": [1, 2]})");
  EXPECT_EQ(checked_int<std::uint16_t>(json, "a"), 65535);
  EXPECT_EQ(checked_int<int>(json, "b"), -1);
  EXPECT_EQ(checked_int<std::uint64_t>(json, "c"), UINT64_MAX);
  EXPECT_EQ(checked_ints<std::uint16_t>(json, "d"), (std::vector<std::uint16_t>{1, 2}));
}

TEST(WholeNumberTest, FractionsAndOutOfRangeValuesAreRefusedByName) {
  for (const char* value : {"65536", "-1", "1.5", "1.0", "1e300", "\"1\"", "null", "[1]", "true"}) {
    Json json = Json::parse(std::string("{\"size\": ") + value + "}");
    try {
      checked_int<std::uint16_t>(json, "size");
      ADD_FAILURE() << value;
    } catch (const Json::exception& e) {
      EXPECT_NE(std::string(e.what()).find("\"size\""), std::string::npos) << e.what();
    }
  }
}

TEST(WholeNumberTest, ListWithAnInvalidNumberIsRefused) {
  for (const char* value : {"5", "{}", "[1, -1]", "[1, 2.5]"}) {
    Json json = Json::parse(std::string("{\"groups\": ") + value + "}");
    EXPECT_THROW(checked_ints<std::uint16_t>(json, "groups"), Json::exception) << value;
  }
}

}  // namespace
}  // namespace sf::wire
