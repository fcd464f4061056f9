// StreamSearch: finds a byte sequence in a stream, even if it is split between two reads. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sf::waypoint {

class StreamSearch {
 public:
  // Requires: `wanted` is not empty and outlives this.
  explicit StreamSearch(std::string_view wanted) : wanted_(wanted) {}

  void feed(std::string_view bytes) {
    tail_ += bytes;
    found_ = found_ || tail_.find(wanted_) != std::string::npos;
    tail_.erase(0, tail_.size() - std::min(tail_.size(), wanted_.size() - 1));
  }
  // Whether it was in the bytes fed so far.
  bool found() const { return found_; }

 private:
  std::string_view wanted_;
  std::string tail_;  // may be the beginning of the sequence
  bool found_ = false;
};

}  // namespace sf::waypoint
