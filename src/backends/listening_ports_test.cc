#include "backends/listening_ports.h"

#include <gtest/gtest.h>

namespace sf::backends {
namespace {

using Ports = std::set<std::string>;

constexpr std::string_view kHead =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";

TEST(ListeningPortsTest, OnlyListeningSocketsAreListed) {
  std::string table = std::string(kHead) +
                      "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000\n"
                      "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000\n"
                      "   2: 0100007F:1F40 0100007F:9C40 01 00000000:00000000 00:00000000\n";
  EXPECT_EQ(listening_ports(table, "tcp"), (Ports{"tcp 127.0.0.1:8000", "tcp 0.0.0.0:22"}));
}

TEST(ListeningPortsTest, Ipv6AddressesAreShortened) {
  std::string table = std::string(kHead) +
                      "   0: 00000000000000000000000001000000:0050 "
                      "00000000000000000000000000000000:0000 0A 0 0\n";
  EXPECT_EQ(listening_ports(table, "tcp6"), Ports{"tcp [::1]:80"});
}

TEST(ListeningPortsTest, BoundDatagramSocketIsListening) {
  std::string table = std::string(kHead) + "  12: 0100007F:0035 00000000:0000 07 0 0\n";
  EXPECT_EQ(listening_ports(table, "udp"), Ports{"udp 127.0.0.1:53"});
}

TEST(ListeningPortsTest, MalformedLinesAreSkipped) {
  EXPECT_EQ(listening_ports("", "tcp"), Ports{});
  EXPECT_EQ(listening_ports("  0: zz:00 0:0 0A\n 1: 0100007F 0 0A\n 2: 0100007F:FFFFFFFFFF 0 0A\n",
                            "tcp"),
            Ports{});
}

}  // namespace
}  // namespace sf::backends
