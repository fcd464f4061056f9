// InputQueue: typed bytes that the terminal has not accepted yet, in order. Pure. push() takes a
// whole text or nothing of it, so the caller knows which bytes were accepted.
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

  // kInvalidArgument: larger than the capacity. kBusy: it does not fit now; details have
  // "room_bytes".
  Status push(std::string_view text);
  // Inserts bytes that were taken back from the terminal before all others.
  void put_first(std::string_view text);
  // The next bytes, at most `most`. Valid until the queue changes.
  std::string_view front(std::size_t most) const;
  // Requires: count <= size().
  void pop(std::size_t count);
  void clear();
  void erase(char byte);
  std::string content() const { return bytes_.substr(taken_); }

 private:
  std::size_t capacity_;
  std::string bytes_;
  std::size_t taken_ = 0;  // bytes at the start of bytes_ that pop() has removed
};

}  // namespace sf::waypoint
