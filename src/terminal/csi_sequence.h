// CsiSequence: parses a CSI sequence, and writes it again within the limits of libvterm. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sf::waypoint {

class CsiSequence {
 public:
  static constexpr int kMaxArgument = 9999;  // larger arguments are clamped to this
  // Further arguments are dropped. libvterm has room for 16 and reads up to two ahead for a colour.
  static constexpr std::size_t kMaxArguments = 14;

  // `body`: the bytes between CSI and the final byte, such as "?1;2$".
  explicit CsiSequence(std::string_view body);

  char leader() const { return leader_; }  // one of < = > ?, or 0
  const std::string& intermediates() const { return intermediates_; }
  const std::vector<int>& arguments() const { return arguments_; }  // -1: omitted
  int argument(std::size_t index, int fallback) const;
  std::string with_final(char final) const;

 private:
  char leader_ = 0;
  std::vector<int> arguments_;
  std::string text_;  // of the arguments, with the original ';' and ':'
  std::string intermediates_;
};

}  // namespace sf::waypoint
