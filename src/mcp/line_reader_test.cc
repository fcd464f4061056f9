#include "mcp/line_reader.h"

#include <gtest/gtest.h>

namespace sf::cli::mcp {
namespace {

std::vector<std::string> texts(const std::vector<Line>& lines) {
  std::vector<std::string> all;
  for (const Line& line : lines) all.push_back(line.too_long ? "(too long)" : line.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST(LineReaderTest, LinesDoNotDependOnTheSizeOfChunks) {
  LineReader whole(100);
  EXPECT_EQ(texts(whole.feed("one\ntwo\n\nthree\n")), (Texts{"one", "two", "", "three"}));
  LineReader bytewise(100);
  Texts all;
  for (char c : std::string("one\ntwo\n\nthree\n")) {
    for (std::string& text : texts(bytewise.feed({&c, 1}))) all.push_back(text);
  }
  EXPECT_EQ(all, (Texts{"one", "two", "", "three"}));
}

TEST(LineReaderTest, LastLineNeedsNoLineEnd) {
  LineReader reader(100);
  EXPECT_TRUE(reader.feed("last").empty());
  EXPECT_EQ(texts(reader.finish()), (Texts{"last"}));
  EXPECT_TRUE(reader.finish().empty());
}

TEST(LineReaderTest, LineOfMaximumLengthIsRead) {
  LineReader reader(4);
  EXPECT_EQ(texts(reader.feed("1234\n")), (Texts{"1234"}));
}

TEST(LineReaderTest, TooLongLineIsDroppedAndTheNextLineIsRead) {
  LineReader reader(4);
  EXPECT_TRUE(reader.feed("123").empty());
  EXPECT_TRUE(reader.feed("45").empty());
  EXPECT_TRUE(reader.feed("67890").empty());
  EXPECT_EQ(texts(reader.feed("\nok\n")), (Texts{"(too long)", "ok"}));
  EXPECT_TRUE(reader.feed("12345").empty());
  EXPECT_EQ(texts(reader.finish()), (Texts{"(too long)"}));
}

}  // namespace
}  // namespace sf::cli::mcp
