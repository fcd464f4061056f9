#include "cli/render/tree_drawing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

using wire::Json;

Json node(const char* id, const char* parent) {
  Json json = {{"id", id}, {"name", ""}, {"kind", "virtual"}, {"log", Json::array()}};
  json["parent"] = parent == nullptr ? Json() : Json(parent);
  return json;
}

TEST(TreeDrawingTest, ChainIsNotIndentedAndForkIs) {
  Json tree = {{"nodes",
                {node("n0", nullptr), node("n1", "n0"), node("n2", "n1"), node("n3", "n1"),
                 node("n4", "n2")}},
               {"branches", Json::array()}};
  EXPECT_EQ(draw_tree(tree),
            "n0  virtual\n"
            "n1  virtual\n"
            "├─ n2  virtual\n"
            "│  n4  virtual\n"
            "└─ n3  virtual\n");
}

TEST(TreeDrawingTest, LineShowsNameKindSizeTimeCommandsAndBranches) {
  Json root = node("n0", nullptr);
  root["name"] = "setup";
  root["kind"] = "physical";
  root["bytes"] = 1'500'000;
  root["took_us"] = 8'200;
  root["log"] = {{{"text", "make\nall"}}, {{"text", "true"}}};
  Json tree = {{"nodes", {root}},
               {"branches",
                {{{"id", "b1"}, {"node", "n0"}, {"alive", false}, {"pending", Json::array()}},
                 {{"id", "main"}, {"node", "n0"}, {"alive", true}, {"pending", {1, 2}}}}}};
  EXPECT_EQ(draw_tree(tree),
            "n0 setup  physical  1.5 MB  9 ms  $ make all (+1 more)  <- b1 (lost), main +2\n");
}

TEST(TreeDrawingTest, ControlsInACommandAreNotPrinted) {
  Json root = node("n0", nullptr);
  root["log"] = {{{"text", "\x1b[31mred\x7f" + std::string(100, 'x')}}};
  std::string text = draw_tree({{"nodes", {root}}, {"branches", Json::array()}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 100U);
}

TEST(TreeDrawingTest, ALongChainNeedsNoStack) {
  Json nodes = Json::array({node("n0", nullptr)});
  for (int i = 1; i < 20'000; ++i) {
    nodes.push_back(node(("n" + std::to_string(i)).c_str(), ("n" + std::to_string(i - 1)).c_str()));
  }
  std::string text = draw_tree({{"nodes", nodes}, {"branches", Json::array()}});
  EXPECT_NE(text.find("\nn19999  virtual\n"), std::string::npos);
}

}  // namespace
}  // namespace sf::cli
