#include "engine/native/image.h"

#include <gtest/gtest.h>

#include <random>

#include "testing/matchers.h"

namespace sf::waypoint::native {
namespace {

TreeImage some_tree() {
  TreeImage tree;
  ProcessImage& process = tree.processes.emplace_back();
  process.pid = 7;
  process.cwd = "/w";
  process.life = Life::kStopped;
  ThreadImage& thread = process.threads.emplace_back();
  thread.name = "bash";
  thread.credentials.groups = {1, 2, 3};
  thread.extended = std::string(100, 'x');
  Mapping& mapping = process.mappings.emplace_back();
  mapping.start = 4096;
  mapping.advice = {10, 18};
  process.pages = {{4096, 8192, 0}};
  process.descriptors = {{0, 0, 1}};
  tree.files.push_back({FileKind::kPath, "/w/a b", 2, 17, kNone});
  tree.inodes.emplace_back().content = "unread";
  tree.mapped.push_back({"/lib/x", 1});
  tree.terminal.window = {40, 160, 0, 0};
  return tree;
}

TEST(ImageTest, EncodingATreeRoundTrips) {
  TreeImage tree = some_tree();
  ASSERT_OK_AND_ASSIGN(TreeImage again, decode_tree(encode_tree(tree)));
  EXPECT_EQ(encode_tree(again), encode_tree(tree));
  EXPECT_EQ(again.processes[0].cwd, "/w");
  EXPECT_EQ(again.processes[0].threads[0].credentials.groups.size(), 3U);
  EXPECT_EQ(again.processes[0].mappings[0].advice, (std::vector<std::int32_t>{10, 18}));
  EXPECT_EQ(again.inodes[0].content, "unread");
  EXPECT_EQ(again.mapped[0].path, "/lib/x");
}

TEST(ImageTest, EveryTruncationIsRefused) {
  TreeImage tree = some_tree();
  std::string whole = encode_tree(tree);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_tree(std::string_view(whole).substr(0, size)));
  EXPECT_FALSE(decode_tree(whole + "x"));
}

TEST(ImageTest, GarbledBytesDoNotCrash) {
  TreeImage tree = some_tree();
  std::string whole = encode_tree(tree);
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    text[random() % text.size()] = static_cast<char>(random());
    (void)decode_tree(text);
  }
}

}  // namespace
}  // namespace sf::waypoint::native
