#include "shell/stream_search.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

constexpr std::string_view kWanted = "\x1b[?2004l";

TEST(StreamSearchTest, FindsASequenceSplitAnywhere) {
  const std::string whole = "prompt" + std::string(kWanted) + "\r\n";
  for (std::size_t first = 0; first <= whole.size(); ++first) {
    for (std::size_t second = first; second <= whole.size(); ++second) {
      StreamSearch search(kWanted);
      search.feed(whole.substr(0, first));
      search.feed(whole.substr(first, second - first));
      search.feed(whole.substr(second));
      EXPECT_TRUE(search.found()) << first << " " << second;
    }
  }
}

TEST(StreamSearchTest, FindsNoSimilarSequence) {
  StreamSearch search(kWanted);
  for (const char* other : {"\x1b[?2004", "h", "\x1b[?200", "\x1b[?2004", "", "\x1b", "l"}) {
    search.feed(other);
    EXPECT_FALSE(search.found()) << other;
  }
  search.feed(kWanted);
  search.feed("more");
  EXPECT_TRUE(search.found());
}

}  // namespace
}  // namespace sf::waypoint
