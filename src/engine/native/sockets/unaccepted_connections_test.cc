#include "engine/native/sockets/unaccepted_connections.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include "engine/native/sockets/internet_sockets.h"

namespace sf::waypoint::native {
namespace {

std::string address(const char* text, std::uint16_t port) {
  sockaddr_in old{};
  old.sin_family = AF_INET;
  old.sin_port = htons(port);
  ::inet_pton(AF_INET, text, &old.sin_addr);
  return {reinterpret_cast<const char*>(&old), sizeof old};
}

std::string new_address(const char* text, std::uint16_t port) {
  sockaddr_in6 now{};
  now.sin6_family = AF_INET6;
  now.sin6_port = htons(port);
  ::inet_pton(AF_INET6, text, &now.sin6_addr);
  return {reinterpret_cast<const char*>(&now), sizeof now};
}

SocketFacts listener(std::uint64_t inode, int waiting, std::uint16_t port = 80) {
  SocketFacts facts;
  facts.inode = inode;
  facts.tcp_state = TCP_LISTEN;
  facts.name = address("0.0.0.0", port);
  facts.waiting = waiting;
  facts.backlog = waiting;
  return facts;
}

SocketFacts client(std::uint64_t inode, std::int64_t connected_ms) {
  SocketFacts facts;
  facts.inode = inode;
  facts.tcp_state = facts.tcp.state = TCP_ESTABLISHED;
  facts.tcp.name = address("127.0.0.1", static_cast<std::uint16_t>(4000 + inode));
  facts.tcp.peer = address("127.0.0.1", 80);
  facts.tcp.client = {.is_quiet = true, .connected_ms = connected_ms};
  return facts;
}

TEST(WaitingConnectionsTest, AListenerMatchesItsAddressOrTheWildcard) {
  EXPECT_TRUE(listens_at(address("0.0.0.0", 80), address("127.0.0.1", 80)));
  EXPECT_TRUE(listens_at(new_address("::", 80), address("127.0.0.1", 80)));
  EXPECT_TRUE(listens_at(new_address("::", 80), new_address("::1", 80)));
  EXPECT_TRUE(listens_at(address("127.0.0.1", 80), new_address("::ffff:127.0.0.1", 80)));
  EXPECT_FALSE(listens_at(address("0.0.0.0", 80), new_address("::1", 80)));
  EXPECT_FALSE(listens_at(address("0.0.0.0", 81), address("127.0.0.1", 80)));
  EXPECT_FALSE(listens_at(address("127.0.0.2", 80), address("127.0.0.1", 80)));
  EXPECT_FALSE(listens_at("", address("127.0.0.1", 80)));
}

TEST(WaitingConnectionsTest, ClientsAreOrderedByTimeAndThenByInode) {
  SocketFacts server = listener(1, 3);
  SocketFacts one = client(10, 1000);
  SocketFacts two = client(12, 1004);
  SocketFacts three = client(11, 500);
  tie_waiting({&two, &server, &one, &three});
  EXPECT_TRUE(server.knows_waiting);
  EXPECT_EQ(three.tcp.turn, 1U);
  EXPECT_EQ(one.tcp.turn, 2U);
  EXPECT_EQ(two.tcp.turn, 3U);
  EXPECT_EQ(tcp_trouble(one.tcp), "");
}

TEST(WaitingConnectionsTest, ASocketWithSeveralDescriptorsWaitsOnce) {
  SocketFacts server = listener(1, 1);
  SocketFacts again = listener(1, 1);
  SocketFacts one = client(10, 1000);
  SocketFacts copy = client(10, 1001);
  tie_waiting({&server, &one, &again, &copy});
  EXPECT_TRUE(server.knows_waiting);
  EXPECT_TRUE(again.knows_waiting);
  EXPECT_EQ(one.tcp.turn, 1U);
  EXPECT_EQ(copy.tcp.turn, 1U);
}

TEST(WaitingConnectionsTest, ClientsThatSentDataOrAreOutsideAreBlockers) {
  SocketFacts server = listener(1, 1);
  SocketFacts loud = client(10, 1000);
  loud.tcp.client.is_quiet = false;
  tie_waiting({&server, &loud});
  EXPECT_FALSE(server.knows_waiting);
  EXPECT_NE(tcp_trouble(loud.tcp), "");
  SocketFacts busy = listener(1, 2);  // one of them is not in the tree
  SocketFacts one = client(10, 1000);
  tie_waiting({&busy, &one});
  EXPECT_FALSE(busy.knows_waiting);
  EXPECT_EQ(one.tcp.turn, 0U);
}

TEST(WaitingConnectionsTest, TheListenerIsUnknownIfSeveralShareAPort) {
  SocketFacts server = listener(1, 1);
  SocketFacts other = listener(2, 0);
  SocketFacts one = client(10, 1000);
  tie_waiting({&server, &other, &one});
  EXPECT_FALSE(server.knows_waiting);
  EXPECT_EQ(one.tcp.turn, 0U);
}

TEST(WaitingConnectionsTest, AnAcceptedConnectionDoesNotWait) {
  SocketFacts server = listener(1, 1);
  SocketFacts one = client(10, 1000);
  SocketFacts accepted = client(11, 900);
  accepted.tcp.has_peer = true;
  tie_waiting({&server, &one, &accepted});
  EXPECT_TRUE(server.knows_waiting);
  EXPECT_EQ(one.tcp.turn, 1U);
  EXPECT_EQ(accepted.tcp.turn, 0U);
}

TEST(WaitingConnectionsTest, MoreClientsThanTheBacklogCannotBeRestored) {
  SocketFacts server = listener(1, 3);
  server.backlog = 1;
  SocketFacts one = client(10, 1000);
  SocketFacts two = client(11, 2000);
  SocketFacts three = client(12, 3000);
  tie_waiting({&server, &one, &two, &three});
  EXPECT_FALSE(server.knows_waiting);
}

}  // namespace
}  // namespace sf::waypoint::native
