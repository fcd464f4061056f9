// CsiSequence: a CSI sequence taken apart, and put together again so that libvterm can bear it.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sf::waypoint {

class CsiSequence {
 public:
  static constexpr int kMaxArgument = 9999;  // larger ones are taken for this
  // Further ones are dropped. libvterm has room for 16 and looks up to two ahead when it reads a
  // colour.
  static constexpr std::size_t kMaxArguments = 14;

  // `body` is what stands between CSI and the final byte: "?1;2$".
  explicit CsiSequence(std::string_view body);

  char leader() const { return leader_; }  // one of < = > ?, or 0
  const std::string& intermediates() const { return intermediates_; }
  const std::vector<int>& arguments() const { return arguments_; }  // -1: not given
  int argument(std::size_t index, int fallback) const;
  std::string with_final(char final) const;

 private:
  char leader_ = 0;
  std::vector<int> arguments_;
  std::string text_;  // of the arguments, with ';' and ':' as they were
  std::string intermediates_;
};

}  // namespace sf::waypoint
