#include "terminal/csi_sequence.h"

#include <algorithm>
#include <utility>

namespace sf::waypoint {

CsiSequence::CsiSequence(std::string_view body) {
  if (!body.empty() && body[0] >= '<' && body[0] <= '?') {
    leader_ = body[0];
    body.remove_prefix(1);
  }
  int argument = -1;
  const auto end_argument = [&] {
    if (argument >= 0) text_ += std::to_string(argument);
    arguments_.push_back(std::exchange(argument, -1));
  };
  for (const char c : body) {
    if (c >= '0' && c <= '9') {
      argument = std::min(std::max(argument, 0) * 10 + (c - '0'), kMaxArgument);
    } else if (c == ';' || c == ':') {
      if (arguments_.size() + 1 == kMaxArguments) break;
      end_argument();
      text_ += c;
    } else if (c < 0x30) {
      intermediates_ += c;
    }
  }
  end_argument();
}

int CsiSequence::argument(std::size_t index, int fallback) const {
  return index < arguments_.size() && arguments_[index] >= 0 ? arguments_[index] : fallback;
}

std::string CsiSequence::with_final(char final) const {
  std::string sequence = "\x1b[";
  if (leader_ != 0) sequence += leader_;
  return sequence + text_ + intermediates_ + final;
}

}  // namespace sf::waypoint
