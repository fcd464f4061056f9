#include "engine/criu/rpc_codec.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "testing/matchers.h"

namespace sf::waypoint::criu {
namespace {

// An independent reader and writer, written from the protocol buffer specification.
std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    EXPECT_FALSE(bytes.empty());
    auto byte = static_cast<unsigned char>(bytes.empty() ? 0 : bytes.front());
    bytes.remove_prefix(std::min<std::size_t>(1, bytes.size()));
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
}

struct Message {
  std::map<unsigned, std::uint64_t> numbers;
  std::map<unsigned, std::string> texts;
};

Message read_message(std::string_view bytes) {
  Message message;
  while (!bytes.empty()) {
    std::uint64_t key = take_varint(bytes);
    auto field = static_cast<unsigned>(key >> 3U);
    std::uint64_t value = take_varint(bytes);
    if ((key & 7U) == 0) {
      message.numbers[field] = value;
    } else {
      EXPECT_EQ(key & 7U, 2U) << "field " << field;
      EXPECT_LE(value, bytes.size()) << "field " << field;
      message.texts[field] = bytes.substr(0, value);
      bytes.remove_prefix(std::min<std::size_t>(value, bytes.size()));
    }
  }
  return message;
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value > 0x7fU; value >>= 7U) out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string number(unsigned field, std::uint64_t value) {
  return varint(field << 3U) + varint(value);
}
std::string text(unsigned field, const std::string& value) {
  return varint(field << 3U | 2U) + varint(value.size()) + value;
}

Message options_of(RequestType type, const Options& options) {
  Message request = read_message(encode_request(type, options));
  EXPECT_EQ(request.numbers.at(1), static_cast<std::uint64_t>(type));
  return read_message(request.texts.at(2));
}

// Field numbers of criu_opts in CRIU's images/rpc.proto.
TEST(RpcEncodeTest, ADumpRequestNamesTheTreeAndTheImageDirectory) {
  Message opts = options_of(RequestType::kDump, {.images_dir = "/store/image",
                                                 .log_file = "dump.log",
                                                 .pid = 4194304,
                                                 .network_lock = NetworkLock::kNftables,
                                                 .leave_running = true,
                                                 .log_level = 4});
  EXPECT_EQ(opts.texts.at(68), "/store/image");
  EXPECT_EQ(opts.texts.at(10), "dump.log");
  EXPECT_EQ(opts.numbers.at(2), 4194304U);
  EXPECT_EQ(opts.numbers.at(3), 1U);
  EXPECT_EQ(opts.numbers.at(9), 4U);
  EXPECT_EQ(opts.numbers.at(64), 2U);
  EXPECT_EQ(opts.numbers.at(1), ~0ULL) << "images_dir_fd is required, and -1 means none";
  EXPECT_FALSE(opts.texts.contains(13));
  EXPECT_FALSE(opts.numbers.contains(26));
}

TEST(RpcEncodeTest, ARestoreRequestNamesTheRootAndAsksForOurChild) {
  Message opts =
      options_of(RequestType::kRestore, {.images_dir = "/i", .log_file = "l", .root = "/r"});
  EXPECT_EQ(opts.texts.at(13), "/r");
  EXPECT_EQ(opts.numbers.at(26), 1U);
  EXPECT_EQ(opts.numbers.at(64), 3U);
  EXPECT_FALSE(opts.numbers.contains(2));
  EXPECT_FALSE(opts.numbers.contains(3));
}

// Field 54, its former number, is now the path of a TLS certificate: CRIU refuses such a request.
TEST(RpcEncodeTest, ClosingConnectionsIsField52) {
  Message opts =
      options_of(RequestType::kRestore, {.images_dir = "/i", .log_file = "l", .close_tcp = true});
  EXPECT_EQ(opts.numbers.at(52), 1U);
  EXPECT_FALSE(opts.numbers.contains(54));
  EXPECT_FALSE(options_of(RequestType::kRestore, {}).numbers.contains(52));
}

// ghost_limit is a uint32: 4 GiB would become 0, and no unlinked file could be captured.
TEST(RpcEncodeTest, TheLimitOfUnlinkedFilesFitsItsField) {
  std::uint64_t limit = options_of(RequestType::kDump, {}).numbers.at(35);
  EXPECT_LE(limit, 0xffffffffU);
  EXPECT_GE(limit, 1U << 30U);
}

TEST(RpcEncodeTest, ANotifyAnswerTellsCriuWhetherToContinue) {
  for (bool success : {true, false}) {
    Message answer = read_message(encode_notify_answer(success));
    EXPECT_EQ(answer.numbers.at(1), 6U);
    EXPECT_EQ(answer.numbers.at(3), success ? 1U : 0U);
  }
}

TEST(RpcDecodeTest, ARestoreAnswersWithThePid) {
  ASSERT_OK_AND_ASSIGN(Response response,
                       decode_response(number(1, 2) + number(2, 1) + text(4, number(1, 4194304))));
  EXPECT_EQ(response.type, RequestType::kRestore);
  EXPECT_TRUE(response.success);
  EXPECT_EQ(response.pid, 4194304);
}

TEST(RpcDecodeTest, ANotificationCarriesItsScriptName) {
  ASSERT_OK_AND_ASSIGN(Response response,
                       decode_response(number(1, 6) + number(2, 1) +
                                       text(5, text(1, "network-lock") + number(2, 77))));
  EXPECT_EQ(response.type, RequestType::kNotify);
  EXPECT_EQ(response.notify_script, "network-lock");
}

TEST(RpcDecodeTest, AFailureCarriesErrnoAndMessage) {
  ASSERT_OK_AND_ASSIGN(Response response, decode_response(number(1, 1) + number(2, 0) +
                                                          number(7, 52) + text(9, "Can't dump")));
  EXPECT_FALSE(response.success);
  EXPECT_EQ(response.os_errno, 52);
  EXPECT_EQ(response.error_message, "Can't dump");
}

TEST(RpcDecodeTest, ANegativeErrnoIsSignExtended) {
  ASSERT_OK_AND_ASSIGN(Response response,
                       decode_response(number(7, static_cast<std::uint64_t>(-9))));
  EXPECT_EQ(response.os_errno, -9);
}

TEST(RpcDecodeTest, FieldsOfALaterVersionAreSkipped) {
  ASSERT_OK_AND_ASSIGN(Response response,
                       decode_response(number(1, 1) + text(3, number(1, 1)) + text(200, "new") +
                                       number(201, 5) + number(2, 1)));
  EXPECT_TRUE(response.success);
}

TEST(RpcDecodeTest, EveryTruncationInsideAFieldIsCorrupt) {
  std::string last = text(9, "a message of some length");
  std::string whole = number(1, 2) + number(2, 1) + last;
  for (std::size_t size = whole.size() - last.size() + 1; size < whole.size(); ++size) {
    auto response = decode_response(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(response.ok()) << size;
    EXPECT_EQ(response.error().code, ErrorCode::kCorrupt);
  }
}

TEST(RpcDecodeTest, LengthsAndNumbersThatDoNotEndAreCorrupt) {
  for (const std::string& bytes :
       {std::string(11, '\xff'), varint(9U << 3U | 2U) + varint(~0ULL), number(2, 1) + "\x80",
        text(4, "\x80"), text(5, varint(1U << 3U | 2U) + varint(5) + "abc"), std::string("\x0b")})
    EXPECT_FALSE(decode_response(bytes).ok());
}

TEST(RpcDecodeTest, GarbageIsCorruptAndDoesNotCrash) {
  std::mt19937 random(13);
  const std::string good = number(1, 6) + number(2, 1) +
                           text(5, text(1, "post-dump") + number(2, 7)) + text(4, number(1, 12)) +
                           text(9, "message");
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    if (round % 2 == 0) {
      bytes.resize(random() % 40);
      for (char& c : bytes) c = static_cast<char>(random());
    } else {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    auto response = decode_response(bytes);
    if (!response) {
      EXPECT_EQ(response.error().code, ErrorCode::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace sf::waypoint::criu
