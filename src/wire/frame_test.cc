#include "wire/frame.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <random>

#include "os/fd.h"
#include "testing/matchers.h"

namespace sf::wire {
namespace {

std::string prefix(std::uint32_t header, std::uint32_t payload) {
  std::string out;
  for (std::uint32_t value : {header, payload}) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      out.push_back(static_cast<char>(value >> shift & 0xffU));
  }
  return out;
}

Result<std::optional<Frame>> first_of(std::string_view bytes) {
  FrameReader reader;
  reader.feed(bytes);
  return reader.next();
}

std::string random_bytes(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::pair<os::UniqueFd, os::UniqueFd> stream_pair() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {os::UniqueFd(fds[0]), os::UniqueFd(fds[1])};
}

TEST(FrameTest, FrameStartsWithLittleEndianLengths) {
  std::string bytes = encode_frame({{{"a", 1}}, std::string("\0\xff", 2)});
  EXPECT_EQ(bytes, prefix(7, 2) + R"({"a":1})" + std::string("\0\xff", 2));
}

TEST(FrameTest, FrameIsReturnedOnlyWhenComplete) {
  std::string bytes = encode_frame({{{"op", "x"}}, "payload"});
  FrameReader reader;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    reader.feed(std::string_view(bytes).substr(i, 1));
    ASSERT_OK_AND_ASSIGN(std::optional<Frame> none, reader.next());
    ASSERT_FALSE(none) << "after " << i + 1 << " bytes";
  }
  reader.feed(std::string_view(bytes).substr(bytes.size() - 1));
  ASSERT_OK_AND_ASSIGN(std::optional<Frame> frame, reader.next());
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload, "payload");
}

TEST(FrameTest, FramesSurviveAnySplit) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Frame> sent;
    std::string bytes;
    for (std::size_t i = 0; i < 1 + random() % 20; ++i) {
      std::size_t size = random() % 10 == 0 ? random() % 300'000 : random() % 100;
      sent.push_back({{{"n", i}, {"text", "\u00e4"}}, random_bytes(random, size)});
      bytes += encode_frame(sent.back());
    }
    FrameReader reader;
    std::size_t got = 0;
    std::string_view left = bytes;
    while (!left.empty()) {
      std::size_t part = std::min<std::size_t>(left.size(), 1 + random() % 100'000);
      reader.feed(left.substr(0, part));
      left.remove_prefix(part);
      for (;;) {
        ASSERT_OK_AND_ASSIGN(std::optional<Frame> frame, reader.next());
        if (!frame) break;
        ASSERT_LT(got, sent.size());
        ASSERT_EQ(frame->header, sent[got].header);
        ASSERT_TRUE(frame->payload == sent[got].payload);
        ++got;
      }
    }
    ASSERT_EQ(got, sent.size());
  }
}

TEST(FrameTest, SizesAboveTheLimitsAreRefusedFromTheLengthsAlone) {
  for (const std::string& bytes :
       {prefix(kMaxHeader + 1, 0), prefix(2, kMaxPayload + 1), prefix(0xffffffffU, 0xffffffffU)}) {
    auto result = first_of(bytes);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
  }
}

TEST(FrameTest, SizesAtTheLimitsAreAccepted) {
  ASSERT_OK_AND_ASSIGN(std::optional<Frame> none, first_of(prefix(kMaxHeader, kMaxPayload)));
  EXPECT_FALSE(none);
}

TEST(FrameTest, HeaderThatIsNotAJsonObjectIsCorrupt) {
  for (std::string header :
       {"", "{", "[1]", "null", "7", "\"x\"", "{\"a\":}", "{}x", "\xff\xfe", "{\"a\":\"\xff\"}"}) {
    auto result = first_of(prefix(static_cast<std::uint32_t>(header.size()), 0) + header);
    ASSERT_FALSE(result.ok()) << header;
    EXPECT_EQ(result.error().code, ErrorCode::kCorrupt) << header;
  }
}

TEST(FrameTest, DeeplyNestedHeaderDoesNotCrashTheReader) {
  for (const std::string& open : {std::string("["), std::string("{\"a\":")}) {
    std::string header = "{\"a\":";
    while (header.size() < 900'000) header += open;
    (void)first_of(prefix(static_cast<std::uint32_t>(header.size()), 0) + header).ok();
  }
}

TEST(FrameTest, RandomBytesDoNotCrashTheReader) {
  std::mt19937 random(2);
  for (int round = 0; round < 5'000; ++round) {
    std::string header = random_bytes(random, random() % 40);
    std::string bytes = random() % 2 == 0
                            ? prefix(static_cast<std::uint32_t>(header.size()), 0) + header
                            : random_bytes(random, random() % 64);
    auto result = first_of(bytes);
    if (!result) {
      EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
    }
  }
}

TEST(FrameTest, FrameWithOneChangedByteDoesNotCrashTheReader) {
  std::string good = encode_frame({{{"op", "exec"}, {"n", 5}}, "some payload"});
  std::mt19937 random(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)first_of(bytes).ok();
  }
}

TEST(FrameTest, HeaderWithInvalidUtf8IsStillSent) {
  ASSERT_OK_AND_ASSIGN(std::optional<Frame> frame,
                       first_of(encode_frame({{{"message", "bad \xff byte"}}, ""})));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header["message"], "bad \xef\xbf\xbd byte");
}

TEST(FrameTransferTest, FramesSentTogetherAreReceivedOneByOne) {
  auto [ours, theirs] = stream_pair();
  ASSERT_OK(send_frame(ours.get(), {{{"n", 1}}, "one"}));
  ASSERT_OK(send_frame(ours.get(), {{{"n", 2}}, "two"}));
  FrameReader reader;
  ASSERT_OK_AND_ASSIGN(Frame first, receive_frame(theirs.get(), reader, Deadline::never()));
  ASSERT_OK_AND_ASSIGN(Frame second, receive_frame(theirs.get(), reader, Deadline::never()));
  EXPECT_EQ(first.payload, "one");
  EXPECT_EQ(second.payload, "two");
}

TEST(FrameTransferTest, ClosedPeerMeansTheSessionIsLost) {
  auto [ours, theirs] = stream_pair();
  ours.reset();
  FrameReader reader;
  auto received = receive_frame(theirs.get(), reader, Deadline::never());
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().code, ErrorCode::kSessionLost);
  Status sent = send_frame(theirs.get(), {{{"n", 1}}, "x"});
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, ErrorCode::kSessionLost);
}

TEST(FrameTransferTest, PeerThatClosesInTheMiddleOfAFrameMeansTheSessionIsLost) {
  auto [ours, theirs] = stream_pair();
  std::string bytes = encode_frame({{{"n", 1}}, "payload"});
  ASSERT_EQ(::send(ours.get(), bytes.data(), bytes.size() - 1, 0),
            static_cast<ssize_t>(bytes.size() - 1));
  ours.reset();
  FrameReader reader;
  auto received = receive_frame(theirs.get(), reader, Deadline::never());
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().code, ErrorCode::kSessionLost);
}

TEST(FrameTransferTest, SilentPeerTimesOut) {
  auto [ours, theirs] = stream_pair();
  FrameReader reader;
  auto received = receive_frame(theirs.get(), reader, Deadline::after(milliseconds(1)));
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().code, ErrorCode::kTimedOut);
}

// The peer would report the frame as corrupt and disconnect. The sender can give the exact reason.
TEST(FrameTransferTest, TooLargeHeaderIsRefusedBeforeAnythingIsSent) {
  auto [ours, theirs] = stream_pair();
  ASSERT_EQ(::shutdown(theirs.get(), SHUT_RD), 0);  // otherwise a failing sender would block here
  Status sent = send_frame(ours.get(), {{{"text", std::string(kMaxHeader, 'x')}}, ""});
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, ErrorCode::kInvalidArgument) << sent.error().message;
}

TEST(ErrorJsonTest, EveryPartOfAnErrorSurvivesARoundTrip) {
  Error error{ErrorCode::kNoSpace, 28, "writing: ENOSPC", "remove something"};
  Error back = error_from_json(error_to_json(error));
  EXPECT_EQ(back.code, error.code);
  EXPECT_EQ(back.os_errno, error.os_errno);
  EXPECT_EQ(back.message, error.message);
  EXPECT_EQ(back.hint, error.hint);
}

TEST(ErrorJsonTest, MissingPartsGetDefaults) {
  Error error = error_from_json(Json::object());
  EXPECT_EQ(error.code, ErrorCode::kOs);
  EXPECT_EQ(error.message, "unknown error");
  EXPECT_EQ(error_from_json({{"code", "of a later version"}}).code, ErrorCode::kOs);
}

TEST(ErrorJsonTest, PartsOfTheWrongTypeStillMakeAnError) {
  for (const Json& json : {Json(nullptr), Json("text"), Json::array({1}), Json{{"code", 5}},
                           Json{{"errno", "x"}}, Json{{"message", nullptr}}})
    EXPECT_NO_THROW((void)error_from_json(json)) << json;
}

}  // namespace
}  // namespace sf::wire
