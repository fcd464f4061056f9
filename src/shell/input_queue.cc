#include "shell/input_queue.h"

#include <algorithm>

#include "base/check.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kCompactQueueAfter = 256U << 10U;

}  // namespace

Status InputQueue::push(std::string_view text) {
  if (text.size() > capacity_)
    return invalid(std::to_string(text.size()) + " bytes cannot be typed at once; the limit is " +
                       std::to_string(capacity_) + ". Nothing was typed",
                   "write the text to a file of the session and let the program read the file");
  if (text.size() > room()) {
    Error full =
        fail(ErrorCode::kBusy,
             std::to_string(size()) +
                 " typed bytes wait until the program in the terminal reads them. There is room "
                 "for " +
                 std::to_string(room()) + " more, but the text has " + std::to_string(text.size()) +
                 ". Nothing was typed",
             "wait until the program reads, or interrupt it with \"\\x03\", which discards them");
    full.details["room_bytes"] = std::to_string(room());
    return full;
  }
  bytes_ += text;
  return Ok{};
}

void InputQueue::put_first(std::string_view text) {
  bytes_.replace(0, taken_, text);
  taken_ = 0;
}

std::string_view InputQueue::front(std::size_t most) const {
  return std::string_view(bytes_).substr(taken_, most);
}

void InputQueue::pop(std::size_t count) {
  SF_CHECK(count <= size());
  taken_ += count;
  if (taken_ < bytes_.size() && taken_ < kCompactQueueAfter) return;
  bytes_.erase(0, taken_);
  taken_ = 0;
}

void InputQueue::clear() {
  bytes_.clear();
  taken_ = 0;
}

void InputQueue::erase(char byte) {
  bytes_.erase(0, taken_);
  taken_ = 0;
  std::erase(bytes_, byte);
}

}  // namespace sf::waypoint
