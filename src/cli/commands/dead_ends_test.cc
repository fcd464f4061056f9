#include "cli/commands/dead_ends.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

using wire::Json;
using Ids = std::vector<std::string>;

Json node(const char* id, const char* parent, const char* name = "") {
  return {{"id", id}, {"name", name}, {"parent", parent == nullptr ? Json() : Json(parent)}};
}

TEST(DeadEndsTest, NodesThatLeadToABranchOrANameAreNoDeadEnds) {
  Json tree = {
      {"nodes",
       {node("n0", nullptr), node("n1", "n0"), node("n2", "n1"), node("n3", "n1"), node("n4", "n3"),
        node("n5", "n0"), node("n6", "n5", "keep"), node("n7", "n6"), node("n8", "n2")}},
      {"branches", {{{"id", "main"}, {"node", "n2"}}}}};
  EXPECT_EQ(dead_ends(tree), (Ids{"n3", "n7", "n8"}));
}

TEST(DeadEndsTest, RootIsNoDeadEndWithoutBranches) {
  Json tree = {{"nodes", {node("n0", nullptr), node("n1", "n0")}}, {"branches", Json::array()}};
  EXPECT_EQ(dead_ends(tree), Ids{"n1"});
}

TEST(DeadEndsTest, TreeInFullUseHasNoDeadEnds) {
  Json tree = {{"nodes", {node("n0", nullptr)}}, {"branches", {{{"id", "main"}, {"node", "n0"}}}}};
  EXPECT_EQ(dead_ends(tree), Ids{});
}

}  // namespace
}  // namespace sf::cli
