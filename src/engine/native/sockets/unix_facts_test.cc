#include "engine/native/sockets/unix_facts.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>

#include <cstring>

namespace sf::waypoint::native {
namespace {

std::string name(const std::string& text) { return std::string("\1\0", 2) + text; }

UnixFacts socket(std::uint32_t inode, int type = SOCK_STREAM) {
  UnixFacts facts;
  facts.inode = inode;
  facts.type = type;
  return facts;
}

// Ties the sockets; each has the peer of the same index. 0: its peer is closed.
void tie(std::vector<UnixFacts>& all, const std::vector<std::uint32_t>& peers) {
  std::vector<UnixFacts*> sockets;
  std::vector<UnixListing> listing;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sockets.push_back(&all[i]);
    UnixListing one;
    one.inode = all[i].inode;
    one.connected = !all[i].listens && peers[i] != all[i].inode;  // its own inode: not connected
    one.peer = one.connected ? peers[i] : 0;
    one.shutdown = one.connected && one.peer == 0 ? 3 : 0;
    one.waiting = all[i].waiting;
    listing.push_back(one);
  }
  tie_unix_sockets(sockets, listing);
}

TEST(UnixFactsTest, UnnamedEndsAreAPair) {
  std::vector<UnixFacts> all = {socket(1), socket(2)};
  tie(all, {2, 1});
  EXPECT_EQ(all[0].tie, UnixTie::kPair);
  EXPECT_EQ(all[1].tie, UnixTie::kPair);
  EXPECT_FALSE(unix_trouble(all[0]));
}

TEST(UnixFactsTest, TheNamedEndIsTheServer) {
  std::vector<UnixFacts> all = {socket(1), socket(2)};
  all[1].name = name("/s");
  tie(all, {2, 1});
  EXPECT_EQ(all[0].tie, UnixTie::kClient);
  EXPECT_EQ(all[1].tie, UnixTie::kServer);
}

TEST(UnixFactsTest, IfBothEndsAreNamedTheListenerDecides) {
  std::vector<UnixFacts> all = {socket(1), socket(2), socket(3)};
  all[0].name = name("/client");
  all[1].name = all[2].name = name("/s");
  all[2].listens = true;
  tie(all, {2, 1, 3});
  EXPECT_EQ(all[0].tie, UnixTie::kClient);
  EXPECT_EQ(all[1].tie, UnixTie::kServer);
  all[2].name = name("/other");
  tie(all, {2, 1, 3});
  EXPECT_TRUE(unix_trouble(all[0]));
}

TEST(UnixFactsTest, AnEndOutsideTheTreeIsABlocker) {
  std::vector<UnixFacts> all = {socket(1)};
  tie(all, {9});
  EXPECT_EQ(unix_trouble(all[0]), "its other end is outside the branch");
}

TEST(UnixFactsTest, AClosedEndIsNotABlocker) {
  std::vector<UnixFacts> all = {socket(1)};
  tie(all, {0});
  EXPECT_EQ(all[0].tie, UnixTie::kPair);
  EXPECT_FALSE(unix_trouble(all[0]));
}

TEST(UnixFactsTest, UnacceptedClientsThatSentDataAreABlocker) {
  std::vector<UnixFacts> all = {socket(1), socket(2)};
  all[0].listens = true;
  all[0].name = name("/s");
  all[0].waiting = {2};
  tie(all, {1, 0});
  EXPECT_EQ(all[1].tie, UnixTie::kWaits);
  EXPECT_FALSE(unix_trouble(all[0]));
  all[1].unsent = 768;
  tie(all, {1, 0});
  EXPECT_EQ(unix_trouble(all[0]), "it has unaccepted connections that cannot be restored");
}

TEST(UnixFactsTest, DatagramSocketsAreAddressedOrPairs) {
  std::vector<UnixFacts> all = {socket(1, SOCK_DGRAM), socket(2, SOCK_DGRAM),
                                socket(3, SOCK_DGRAM)};
  all[1].name = name("/r");
  tie(all, {2, 2, 2});
  EXPECT_EQ(all[0].tie, UnixTie::kAddressed);
  EXPECT_EQ(all[1].tie, UnixTie::kAlone);
  std::vector<UnixFacts> pair = {socket(1, SOCK_DGRAM), socket(2, SOCK_DGRAM)};
  tie(pair, {2, 1});
  EXPECT_EQ(pair[0].tie, UnixTie::kPair);
  std::vector<UnixFacts> one_way = {socket(1, SOCK_DGRAM), socket(2, SOCK_DGRAM)};
  tie(one_way, {2, 2});
  EXPECT_EQ(unix_trouble(one_way[0]), "its other end has no address");
}

TEST(UnixFactsTest, StateThatCannotBeRestoredIsABlocker) {
  UnixFacts facts = socket(1);
  EXPECT_FALSE(unix_trouble(facts));
  facts.descriptors = descriptors_in_queue("pos:\t0\nscm_fds: 2\n");
  EXPECT_EQ(facts.descriptors, 2);
  EXPECT_TRUE(unix_trouble(facts));
  facts = socket(1);
  facts.has_unread = facts.passes_credentials = true;
  EXPECT_TRUE(unix_trouble(facts));
  facts = socket(1, SOCK_RAW);
  EXPECT_TRUE(unix_trouble(facts));
}

template <typename T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string answer_with_peer(std::uint32_t inode, std::uint32_t peer) {
  std::string bytes;
  nlmsghdr head{};
  head.nlmsg_len = sizeof head + sizeof(unix_diag_msg) + sizeof(nlattr) + 4;
  head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  append(bytes, head);
  unix_diag_msg body{};
  body.udiag_ino = inode;
  append(bytes, body);
  nlattr attribute{sizeof(nlattr) + 4, UNIX_DIAG_PEER};
  append(bytes, attribute);
  append(bytes, peer);
  return bytes;
}

TEST(UnixFactsTest, TheKernelsSocketListIsParsed) {
  std::vector<UnixListing> all;
  std::string bytes = answer_with_peer(7, 8);
  EXPECT_EQ(parse_unix_listing(bytes, all), false);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].inode, 7U);
  EXPECT_TRUE(all[0].connected);
  EXPECT_EQ(all[0].peer, 8U);
  nlmsghdr last{};
  last.nlmsg_len = sizeof last;
  last.nlmsg_type = NLMSG_DONE;
  append(bytes, last);
  EXPECT_EQ(parse_unix_listing(bytes, all), true);
}

TEST(UnixFactsTest, ATruncatedSocketListIsRefused) {
  std::string bytes = answer_with_peer(7, 8);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    std::vector<UnixListing> all;
    EXPECT_FALSE(parse_unix_listing(bytes.substr(0, size), all)) << size;
  }
}

}  // namespace
}  // namespace sf::waypoint::native
