#include "backends/listening_ports.h"

#include <arpa/inet.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "base/split.h"

namespace sf::backends {
namespace {

// The kernel prints each 32-bit word of an address as a number in host byte order.
std::string address_text(const std::string& digits) {
  if (digits.size() != 8 && digits.size() != 32) return {};
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < digits.size() / 8; ++i)
    words[i] = static_cast<std::uint32_t>(std::stoul(digits.substr(i * 8, 8), nullptr, 16));
  char text[INET6_ADDRSTRLEN] = {};
  bool v6 = digits.size() == 32;
  if (::inet_ntop(v6 ? AF_INET6 : AF_INET, words.data(), text, sizeof text) == nullptr) return {};
  return v6 ? "[" + std::string(text) + "]" : text;
}

bool is_hexadecimal(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

}  // namespace

std::set<std::string> listening_ports(std::string_view table, std::string_view protocol) {
  // A bound, unconnected datagram socket has the state "close".
  const std::string wanted = protocol.starts_with("udp") ? "07" : "0A";
  std::set<std::string> ports;
  for (const std::string& line : split(table, '\n')) {
    std::istringstream words(line);
    std::string slot;
    std::string local;
    std::string remote;
    std::string state;
    if (!(words >> slot >> local >> remote >> state) || state != wanted) continue;
    std::size_t colon = local.find(':');
    if (colon == std::string::npos) continue;
    std::string digits = local.substr(0, colon);
    std::string port = local.substr(colon + 1);
    if (!is_hexadecimal(digits) || !is_hexadecimal(port) || port.size() > 4) continue;
    std::string address = address_text(digits);
    if (address.empty()) continue;
    ports.insert(std::string(protocol.substr(0, 3)) + " " + address + ":" +
                 std::to_string(std::stoul(port, nullptr, 16)));
  }
  return ports;
}

}  // namespace sf::backends
