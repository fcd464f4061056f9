#include "engine/criu/tree_attributes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::waypoint::criu {
namespace {

using wire::Json;

TreeAttributes example() {
  return {.processes = {{.pid = 1, .core_filter = 0x33, .threads = {{1, 0, "03", 50000}}},
                        {.pid = 7,
                         .core_filter = 0x7f,
                         .threads = {{7, 3 << 13, "01", 0}, {9, (2 << 13) | 6, "02", 1}}}},
          .exclusive_terminals = {"/dev/pts/0"}};
}

TEST(StandingTest, StandingRoundTripsThroughJson) {
  for (const TreeAttributes& standing : {TreeAttributes{}, example()}) {
    ASSERT_OK_AND_ASSIGN(TreeAttributes read,
                         tree_attributes_from_json(Json::parse(to_json(standing).dump())));
    EXPECT_EQ(read, standing);
  }
}

TEST(StandingTest, DamagedFilesAreCorrupt) {
  Json unknown = to_json(example());
  unknown["version"] = 2;
  Json outside = to_json(example());
  outside["exclusive_terminals"] = {"/etc/passwd"};
  Json wrong = to_json(example());
  wrong["processes"][0]["core_filter"] = -1;
  Json missing = to_json(example());
  missing["processes"][1].erase("threads");
  for (const Json& json : {unknown, outside, wrong, missing, Json(), Json::array(), Json("x")}) {
    auto read = tree_attributes_from_json(json);
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace sf::waypoint::criu
