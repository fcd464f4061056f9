#include "engine/native/sockets/tcp_connections.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include "engine/native/sockets/ended_connections.h"
#include "engine/native/sockets/internet_sockets.h"

namespace sf::waypoint::native {
namespace {

std::string old_address(const char* text, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, text, &address.sin_addr);
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

std::string new_address(const char* text, std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  ::inet_pton(AF_INET6, text, &address.sin6_addr);
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

TEST(TcpConnectionsTest, AnIpv4AddressEqualsItsMappedIpv6Address) {
  EXPECT_TRUE(is_same_location(old_address("127.0.0.1", 80), old_address("127.0.0.1", 80)));
  EXPECT_TRUE(is_same_location(old_address("127.0.0.1", 80), new_address("::ffff:127.0.0.1", 80)));
  EXPECT_FALSE(is_same_location(old_address("127.0.0.1", 80), old_address("127.0.0.1", 81)));
  EXPECT_FALSE(is_same_location(old_address("127.0.0.1", 80), new_address("::1", 80)));
  EXPECT_FALSE(is_same_location("", ""));
}

SocketFacts end(const std::string& name, const std::string& peer) {
  SocketFacts facts;
  facts.tcp.state = TCP_ESTABLISHED;
  facts.tcp.name = name;
  facts.tcp.peer = peer;
  return facts;
}

TEST(TcpConnectionsTest, APeerOutsideTheTreeIsABlocker) {
  SocketFacts one = end(old_address("127.0.0.1", 80), old_address("127.0.0.1", 4000));
  SocketFacts other = end(old_address("127.0.0.1", 4000), old_address("127.0.0.1", 80));
  tie_connections({&one});
  EXPECT_NE(tcp_trouble(one.tcp), "");
  tie_connections({&one, &other});
  EXPECT_EQ(tcp_trouble(one.tcp), "");
  EXPECT_EQ(tcp_trouble(other.tcp), "");
}

TEST(TcpConnectionsTest, AConnectionClosedByItsPeerNeedsNoOtherEnd) {
  TcpFacts facts;
  facts.state = TCP_CLOSE_WAIT;
  EXPECT_EQ(tcp_trouble(facts), "");
}

TEST(TcpConnectionsTest, ConnectionsBeingOpenedOrClosedAreBlockers) {
  TcpFacts facts;
  for (int state : {TCP_SYN_SENT, TCP_SYN_RECV, TCP_LAST_ACK, TCP_CLOSING}) {
    facts.state = state;
    EXPECT_NE(tcp_trouble(facts), "") << state;
  }
  facts.state = TCP_CLOSE;
  EXPECT_EQ(tcp_trouble(facts), "");
  EXPECT_FALSE(has_ended(facts));
  facts.is_readable = true;  // end of file; a new socket is not readable
  EXPECT_EQ(tcp_trouble(facts), "");
  EXPECT_TRUE(has_ended(facts));
}

TEST(TcpConnectionsTest, ReceivedDataIsNotSentAgain) {
  TcpImage sender;
  sender.state = TCP_ESTABLISHED;
  sender.send_number = 110;
  sender.unacknowledged = "0123456789";  // 100 to 109
  TcpImage receiver;
  receiver.state = TCP_ESTABLISHED;
  receiver.receive_number = 104;
  EXPECT_EQ(not_received(sender, receiver), "456789");
  receiver.receive_number = 110;
  EXPECT_EQ(not_received(sender, receiver), "");
}

TEST(TcpConnectionsTest, AFinTakesASequenceNumber) {
  TcpImage sender;
  sender.state = TCP_FIN_WAIT2;
  sender.send_number = 1;  // sequence numbers wrap
  TcpImage receiver;
  receiver.state = TCP_CLOSE_WAIT;
  receiver.receive_number = 1;
  EXPECT_EQ(not_received(sender, receiver), "");
  sender.state = TCP_FIN_WAIT1;
  sender.unacknowledged = "ab";
  receiver.state = TCP_ESTABLISHED;
  receiver.receive_number = 0xffffffffU;
  EXPECT_EQ(not_received(sender, receiver), "b");
}

}  // namespace
}  // namespace sf::waypoint::native
