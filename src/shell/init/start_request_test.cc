#include "shell/init/start_request.h"

#include <gtest/gtest.h>

#include <random>

namespace sf::waypoint {
namespace {

// Reads words that end with NUL, and lists that follow their count, as init does.
class Words {
 public:
  explicit Words(std::string text) : text_(std::move(text)) {}
  std::string next() {
    EXPECT_LT(at_, text_.size()) << "read past the last word";
    std::string word = text_.c_str() + std::min(at_, text_.size());
    at_ += word.size() + 1;
    return word;
  }
  long number() { return std::stol(next()); }
  std::vector<std::string> list() {
    std::vector<std::string> words;
    for (long n = number(); n > 0; --n) words.push_back(next());
    return words;
  }
  bool done() const { return at_ == text_.size(); }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

void expect_round_trip(const StartRequest& request) {
  Words words(encode(request));
  EXPECT_EQ(words.next(), request.kind);
  EXPECT_EQ(words.number(), request.id);
  EXPECT_EQ(words.number(), static_cast<long>(request.who.uid));
  EXPECT_EQ(words.number(), static_cast<long>(request.who.gid));
  std::vector<gid_t> groups;
  for (const std::string& group : words.list())
    groups.push_back(static_cast<gid_t>(std::stoul(group)));
  EXPECT_EQ(groups, request.who.groups);
  EXPECT_EQ(words.next(), request.cwd);
  EXPECT_EQ(words.list(), request.argv);
  EXPECT_EQ(words.list(), request.env);
  EXPECT_EQ(words.next(), "") << "init overwrites this word with the end of its last array";
  EXPECT_TRUE(words.done());
}

TEST(StartRequestTest, WordsAreInTheOrderThatInitReads) {
  std::string text = encode({.kind = "shell",
                             .id = 3,
                             .who = {1000, 100, {100, 27}},
                             .cwd = "/tmp",
                             .argv = {"/bin/bash", "--norc"},
                             .env = {"A=1"}});
  for (char& c : text) {
    if (c == '\0') c = '|';
  }
  EXPECT_EQ(text, "shell|3|1000|100|2|100|27|/tmp|2|/bin/bash|--norc|1|A=1||");
}

TEST(StartRequestTest, EmptyListsAndEmptyWordsAreEncoded) {
  expect_round_trip({.kind = "go"});
  expect_round_trip({.kind = "side", .argv = {"echo", "", "x", ""}, .env = {"EMPTY="}});
}

TEST(StartRequestTest, LargestNumbersAreEncoded) {
  expect_round_trip(
      {.kind = "side", .id = 1L << 40, .who = {4294967294U, 4294967294U, {4294967294U}}});
}

TEST(StartRequestTest, RandomWordsSurviveARoundTrip) {
  std::mt19937 random(10);
  for (int round = 0; round < 500; ++round) {
    StartRequest request{.kind = "side", .id = static_cast<long>(random() % 1000)};
    for (std::size_t i = random() % 20; i > 0; --i) {
      std::string word(random() % 30, '\0');
      for (char& c : word) c = static_cast<char>(1 + random() % 255);
      (random() % 2 == 0 ? request.argv : request.env).push_back(word);
    }
    expect_round_trip(request);
  }
}

}  // namespace
}  // namespace sf::waypoint
