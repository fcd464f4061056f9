#include "client/http_reply.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::client {
namespace {

struct Heard {
  HttpReplyReader reader;
  std::string body;

  Status feed(std::string_view bytes) {
    return reader.feed(bytes, [this](std::string_view piece) { body += piece; });
  }
};

constexpr std::string_view kSized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";

TEST(HttpReplyTest, BodyEndsAtItsLengthOrItsLastChunk) {
  for (std::string_view reply : {kSized, kChunked}) {
    Heard heard;
    ASSERT_OK(heard.feed(reply));
    EXPECT_TRUE(heard.reader.is_complete());
    EXPECT_TRUE(heard.reader.keeps_connection());
    EXPECT_EQ(heard.reader.status(), 200);
    EXPECT_EQ(heard.body, "hello");
  }
}

TEST(HttpReplyTest, BytesMayArriveOneByOne) {
  for (std::string_view reply : {kSized, kChunked}) {
    Heard heard;
    for (char byte : reply) {
      EXPECT_FALSE(heard.reader.is_complete());
      ASSERT_OK(heard.feed({&byte, 1}));
    }
    EXPECT_TRUE(heard.reader.is_complete());
    EXPECT_EQ(heard.body, "hello");
  }
}

TEST(HttpReplyTest, BodyWithoutLengthEndsWhenTheConnectionCloses) {
  Heard heard;
  ASSERT_OK(heard.feed("HTTP/1.1 500 Oh\r\n\r\nhel"));
  ASSERT_OK(heard.feed("lo"));
  EXPECT_FALSE(heard.reader.is_complete());
  ASSERT_OK(heard.reader.end());
  EXPECT_TRUE(heard.reader.is_complete());
  EXPECT_FALSE(heard.reader.keeps_connection());
  EXPECT_EQ(heard.body, "hello");
}

TEST(HttpReplyTest, TruncatedReplyIsAnError) {
  Heard heard;
  ASSERT_OK(heard.feed(kSized.substr(0, kSized.size() - 1)));
  EXPECT_FALSE(heard.reader.end().ok());
}

TEST(HttpReplyTest, AnInterimReplyIsSkipped) {
  Heard heard;
  ASSERT_OK(heard.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_TRUE(heard.reader.is_complete());
  EXPECT_EQ(heard.reader.status(), 204);
}

TEST(HttpReplyTest, ClosingServerIsRecognizedByItsHeaderOrVersion) {
  for (std::string_view reply :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    Heard heard;
    ASSERT_OK(heard.feed(reply));
    EXPECT_TRUE(heard.reader.is_complete());
    EXPECT_FALSE(heard.reader.keeps_connection());
  }
}

TEST(HttpReplyTest, MalformedRepliesAreRefused) {
  for (std::string_view reply :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"}) {
    Heard heard;
    Status fed = heard.feed(reply);
    ASSERT_FALSE(fed.ok()) << reply;
    EXPECT_EQ(fed.error().code, ErrorCode::kCorrupt);
  }
}

TEST(HttpReplyTest, HeadLengthIsLimited) {
  Heard heard;
  ASSERT_OK(heard.feed("HTTP/1.1 200 OK\r\n"));
  Status fed = Ok{};
  for (int i = 0; fed.ok() && i < 100'000; ++i) fed = heard.feed("X: y\r\n");
  EXPECT_FALSE(fed.ok());
}

}  // namespace
}  // namespace sf::client
