#include "wire/event_stream.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::wire {
namespace {

// Feeds the text in pieces of the given size, and returns all events as "name|id|data".
std::vector<std::string> read_all(std::string_view text, std::size_t piece) {
  EventStreamReader reader;
  std::vector<std::string> seen;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    auto events = reader.feed(text.substr(at, piece));
    EXPECT_OK(events);
    if (!events) break;
    for (const ServerEvent& event : *events)
      seen.push_back(event.name + "|" + event.id + "|" + event.data);
  }
  return seen;
}

using Lines = std::vector<std::string>;

TEST(EventStreamTest, SplittingTheBytesDoesNotChangeTheEvents) {
  constexpr std::string_view kText =
      "\xEF\xBB\xBFid: 1\nevent: output\ndata: {\"text\": \"a\"}\n\n"
      ": still here\n\n"
      "data:first\r\ndata: second\r\n\r\n"
      "event: result\rid: 7\rdata:  two spaces\r\r";
  const Lines expected = {"output|1|{\"text\": \"a\"}", "message|1|first\nsecond",
                          "result|7| two spaces"};
  for (std::size_t piece = 1; piece <= kText.size(); ++piece)
    EXPECT_EQ(read_all(kText, piece), expected) << "in pieces of " << piece;
}

TEST(EventStreamTest, EventWithoutDataOrEndIsNotReturned) {
  EXPECT_EQ(read_all("event: x\n\nid: 4\n\ndata: cut off\n", 3), Lines{});
  EXPECT_EQ(read_all("event: x\n\ndata: y\n\n", 3), Lines{"message||y"});
  EXPECT_EQ(read_all("data\n\n", 1), Lines{"message||"});
}

TEST(EventStreamTest, UnknownFieldsAndIdsWithNulAreIgnored) {
  const std::string text = std::string("retry: 5\nid: a") + '\0' + "b\nnonsense\ndata: x\n\n";
  EXPECT_EQ(read_all(text, 5), Lines{"message||x"});
}

TEST(EventStreamTest, TooLargeEventIsRefused) {
  for (const char* more : {"data: aaaa\n", "aaaaaaaaaa"}) {
    EventStreamReader reader(32);
    Status status = Ok{};
    for (int i = 0; i < 20 && status.ok(); ++i) {
      auto events = reader.feed(more);
      if (!events) status = events.error();
    }
    ASSERT_FALSE(status.ok()) << more;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  }
}

TEST(EventStreamTest, SizeLimitAppliesToSingleEvents) {
  EventStreamReader reader(32);
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(auto events, reader.feed("data: 0123456789\n\n"));
    EXPECT_EQ(events.size(), 1U);
  }
}

}  // namespace
}  // namespace sf::wire
