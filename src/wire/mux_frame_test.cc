#include "wire/mux_frame.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sf::wire {
namespace {

using Kind = MuxFrame::Kind;

std::vector<MuxFrame> read_all(MuxReader& reader) {
  std::vector<MuxFrame> frames;
  while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  return frames;
}

TEST(MuxFrameTest, AnyBytesInAnyPiecesSurviveARoundTrip) {
  std::mt19937 random(7);
  std::vector<MuxFrame> sent;
  std::string stream;
  for (int i = 0; i < 300; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes)
      byte = random() % 3 == 0 ? "\xC0\xDB\xDC\xDD"[random() % 4] : static_cast<char>(random());
    sent.push_back({Kind::kData, static_cast<std::uint32_t>(random()), bytes});
    stream += encode_mux_frame(sent.back());
  }
  MuxReader reader;
  std::vector<MuxFrame> got;
  for (std::size_t at = 0; at < stream.size();) {
    std::size_t piece = 1 + random() % 50;
    reader.feed(std::string_view(stream).substr(at, piece));
    at += piece;
    for (MuxFrame& frame : read_all(reader)) got.push_back(std::move(frame));
  }
  EXPECT_EQ(got, sent);
}

TEST(MuxFrameTest, NextFrameIsFoundAfterAPartialFrame) {
  const MuxFrame cut{Kind::kData, 3, "lost with its sender"};
  const MuxFrame next{Kind::kReset, 0, ""};
  const std::string whole = encode_mux_frame(cut);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    MuxReader reader;
    reader.feed(whole.substr(0, size));
    reader.feed(encode_mux_frame(next));
    EXPECT_EQ(read_all(reader), std::vector<MuxFrame>{next}) << size;
  }
}

TEST(MuxFrameTest, NoiseIsSkipped) {
  MuxReader reader;
  reader.feed("login: \xC0\x07garbage\xC0\xC0\xC0");
  const MuxFrame good{Kind::kOpen, 1, ""};
  reader.feed(encode_mux_frame(good));
  EXPECT_EQ(read_all(reader), std::vector<MuxFrame>{good});
}

}  // namespace
}  // namespace sf::wire
