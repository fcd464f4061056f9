// InputQueue: what was typed and what the terminal has not taken yet, in order. Pure. A text enters
// as a whole or not at all, so that whoever typed it knows what arrived.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/request_limits.h"
#include "base/result.h"

namespace sf::waypoint {

class InputQueue {
 public:
  explicit InputQueue(std::size_t capacity) : capacity_(capacity) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return bytes_.size() - taken_; }
  std::size_t room() const { return capacity_ - size(); }

  // kInvalidArgument: it never fits. kBusy: it does not fit now; details say "room_bytes".
  Status push(std::string_view text);
  // Before all others: they were taken out of the terminal again.
  void put_first(std::string_view text);
  // The next bytes, at most so many. Valid until the queue changes.
  std::string_view front(std::size_t most) const;
  // Requires: count <= size().
  void pop(std::size_t count);
  void clear();
  void erase(char byte);
  std::string content() const { return bytes_.substr(taken_); }

 private:
  std::size_t capacity_;
  std::string bytes_;
  std::size_t taken_ = 0;  // of bytes_, from the beginning
};

}  // namespace sf::waypoint
