#include "engine/native/sockets/datagrams.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace sf::waypoint::native {
namespace {

std::string old_location(const char* address, std::uint16_t port) {
  sockaddr_in location{};
  location.sin_family = AF_INET;
  location.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &location.sin_addr);
  return {reinterpret_cast<const char*>(&location), sizeof location};
}

std::string new_location(const char* address, std::uint16_t port) {
  sockaddr_in6 location{};
  location.sin6_family = AF_INET6;
  location.sin6_port = htons(port);
  ::inet_pton(AF_INET6, address, &location.sin6_addr);
  return {reinterpret_cast<const char*>(&location), sizeof location};
}

unsigned sum_of(const std::string& bytes) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<unsigned>(static_cast<unsigned char>(bytes[i])) << (i % 2 == 0 ? 8U : 0U);
  while (sum > 0xffffU) sum = (sum & 0xffffU) + (sum >> 16U);
  return sum;
}

TEST(NativeDatagramsTest, APacketHasTheSendersAddressAndAValidChecksum) {
  std::string packet =
      udp_packet(old_location("127.0.0.1", 5000), old_location("127.0.0.3", 0x1234), "hello");
  ASSERT_EQ(packet.size(), 20U + 8U + 5U);
  EXPECT_EQ(packet.substr(12, 8), std::string("\x7f\0\0\1\x7f\0\0\3", 8));
  EXPECT_EQ(packet.substr(22, 2), "\x12\x34");
  EXPECT_EQ(sum_of(packet.substr(12, 8) + std::string("\0\x11\0\x0d", 4) + packet.substr(20)),
            0xffffU);
}

TEST(NativeDatagramsTest, AWildcardAddressIsSentToInTheSendersFamily) {
  std::string old =
      udp_packet(new_location("::ffff:127.0.0.1", 5000), new_location("::", 6000), "");
  EXPECT_EQ(old.size(), 20U + 8U);
  std::string now = udp_packet(new_location("::1", 5000), new_location("::", 6000), "x");
  ASSERT_EQ(now.size(), 40U + 8U + 1U);
  EXPECT_EQ(now[39], 1);
  EXPECT_EQ(sum_of(now.substr(8, 32) + std::string("\0\x09\0\x11", 4) + now.substr(40)), 0xffffU);
}

TEST(NativeDatagramsTest, OutsideSendersAndSharedPortsAreDeclined) {
  std::vector<SocketMessage> near = {{"x", old_location("127.0.0.9", 1)},
                                     {"y", new_location("::1", 2)}};
  EXPECT_EQ(datagram_trouble(near, false), "");
  EXPECT_NE(datagram_trouble(near, true), "");
  EXPECT_EQ(datagram_trouble({}, true), "");
  EXPECT_NE(datagram_trouble({{"x", old_location("10.0.0.9", 1)}}, false), "");
}

}  // namespace
}  // namespace sf::waypoint::native
