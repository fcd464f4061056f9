#include "terminal/output_buffer.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "terminal/clean_text.h"

namespace sf::waypoint {
namespace {

TEST(OutputBufferTest, OutputWithinTheCapacityIsReturnedWhole) {
  OutputBuffer buffer(10);
  buffer.append("01234");
  buffer.append("56789");
  EXPECT_FALSE(buffer.truncated());
  EXPECT_EQ(buffer.omitted_bytes(), 0U);
  EXPECT_EQ(buffer.total_bytes(), 10U);
  EXPECT_EQ(buffer.take(), "0123456789");
}

TEST(OutputBufferTest, TooLongOutputLosesItsMiddleAndStatesTheSize) {
  OutputBuffer buffer(10);
  buffer.append("01234567890123456789");
  EXPECT_TRUE(buffer.truncated());
  EXPECT_EQ(buffer.omitted_bytes(), 10U);
  EXPECT_EQ(buffer.total_bytes(), 20U);
  EXPECT_EQ(buffer.take(), "01234\n[... 10 bytes omitted ...]\n56789");
}

TEST(OutputBufferTest, CapacityOfZeroKeepsNothing) {
  OutputBuffer buffer(0);
  EXPECT_FALSE(buffer.truncated());
  buffer.append("abc");
  EXPECT_TRUE(buffer.truncated());
  EXPECT_EQ(buffer.total_bytes(), 3U);
  EXPECT_EQ(buffer.omitted_bytes(), 3U);
  EXPECT_EQ(buffer.take(), "");
}

TEST(OutputBufferTest, UnlimitedCapacityKeepsEverything) {
  OutputBuffer buffer(std::numeric_limits<std::size_t>::max());
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    buffer.append("line " + std::to_string(i) + "\n");
    all += "line " + std::to_string(i) + "\n";
  }
  EXPECT_FALSE(buffer.truncated());
  EXPECT_EQ(buffer.take(), all);
}

TEST(OutputBufferTest, TakeEmptiesTheBuffer) {
  OutputBuffer buffer(4);
  buffer.append("abcdefgh");
  buffer.take();
  EXPECT_EQ(buffer.total_bytes(), 0U);
  EXPECT_FALSE(buffer.truncated());
  buffer.append("xyz");
  EXPECT_EQ(buffer.take(), "xyz");
}

TEST(OutputBufferTest, CharactersAtTheGapAreNotSplit) {
  OutputBuffer buffer(
      8);  // four bytes each: the second character of three bytes is cut on both sides
  buffer.append("世界世界世界");
  EXPECT_EQ(buffer.omitted_bytes(), 12U);
  EXPECT_EQ(buffer.take(), "世\n[... 12 bytes omitted ...]\n界");
}

TEST(OutputBufferTest, CompleteCharacterAtTheGapIsKept) {
  OutputBuffer buffer(6);
  buffer.append("世界世");
  EXPECT_EQ(buffer.take(), "世\n[... 3 bytes omitted ...]\n世");
}

TEST(OutputBufferTest, InvalidUtf8LosesAtMostThreeBytesOnEachSide) {
  OutputBuffer buffer(100);
  buffer.append(std::string(1000, '\x80'));
  EXPECT_LE(buffer.omitted_bytes(), 906U);
  buffer.take();
  buffer.append(std::string(1000, '\xff'));
  EXPECT_LE(buffer.omitted_bytes(), 906U);
}

TEST(OutputBufferTest, HeadTailAndCountAreExactForAnyCapacityAndSplit) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const std::size_t cap = random() % 60 + 1;
    std::string all;
    OutputBuffer buffer(cap);
    for (std::size_t n = random() % 20; n > 0; --n) {
      std::string piece;
      for (std::size_t k = random() % 30; k > 0; --k)
        piece += static_cast<char>('a' + random() % 26);
      buffer.append(piece);
      all += piece;
    }
    EXPECT_EQ(buffer.total_bytes(), all.size());
    EXPECT_EQ(buffer.truncated(), all.size() > cap);
    if (all.size() <= cap) {
      EXPECT_EQ(buffer.take(), all);
    } else {
      EXPECT_EQ(buffer.omitted_bytes(), all.size() - cap);
      EXPECT_EQ(buffer.take(), all.substr(0, cap / 2) + "\n[... " +
                                   std::to_string(all.size() - cap) + " bytes omitted ...]\n" +
                                   all.substr(all.size() - (cap - cap / 2)));
    }
  }
}

TEST(OutputBufferTest, TruncatedUtf8StaysValidAndTheOmittedCountIsExact) {
  const std::string characters[] = {"a", "é", "世", "😀"};
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    OutputBuffer buffer(random() % 40 + 1);
    std::size_t total = 0;
    for (int n = 0; n < 50; ++n) {
      const std::string& c = characters[random() % 4];
      buffer.append(c);
      total += c.size();
    }
    const std::uint64_t omitted = buffer.omitted_bytes();
    const std::string marker = "\n[... " + std::to_string(omitted) + " bytes omitted ...]\n";
    const std::string text = buffer.take();
    EXPECT_EQ(text.size() - marker.size() + omitted, total) << "seed " << seed;
    EXPECT_NE(text.find(marker), std::string::npos) << "seed " << seed;
    EXPECT_EQ(clean_text(text), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sf::waypoint
