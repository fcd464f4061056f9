#include "os/tcp_socket.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::os {
namespace {

TEST(TcpAddressTest, HostAndPortAreParsed) {
  ASSERT_OK_AND_ASSIGN(TcpAddress plain, parse_tcp_address("127.0.0.1:8787"));
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "8787");
  ASSERT_OK_AND_ASSIGN(TcpAddress six, parse_tcp_address("[::1]:80"));
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, "80");
}

TEST(TcpAddressTest, AMalformedAddressIsRefusedWithAnExample) {
  for (const char* text : {"", ":", "8787", ":8787", "localhost", "localhost:", "localhost:http",
                           "localhost:65536", "localhost:-1", "::1:80", "[]:80", "[::1]"}) {
    auto parsed = parse_tcp_address(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().hint.find("127.0.0.1:8787"), std::string::npos);
  }
}

TEST(TcpListenTest, TheKernelsChoiceForPortZeroCanBeRead) {
  ASSERT_OK_AND_ASSIGN(UniqueFd listener, listen_tcp({"127.0.0.1", "0"}));
  ASSERT_OK_AND_ASSIGN(std::uint16_t port, port_of(listener.get()));
  EXPECT_NE(port, 0);
  auto again = listen_tcp({"127.0.0.1", std::to_string(port)});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("EADDRINUSE"), std::string::npos);
}

}  // namespace
}  // namespace sf::os
