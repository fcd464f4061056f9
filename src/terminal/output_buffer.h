// OutputBuffer: keeps the head and the tail of a byte stream of any length. Pure. The first half of
// the capacity keeps the start of the stream, the second half is a ring with its end. Memory grows
// with the appended bytes, so a capacity of SIZE_MAX means unlimited. A capacity of 0 keeps
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sf::waypoint {

class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t cap) : head_cap_(cap / 2), tail_cap_(cap - cap / 2) {}

  void append(std::string_view bytes);

  std::uint64_t total_bytes() const { return total_; }  // appended since the last take()
  std::uint64_t hash() const { return hash_; }          // FNV-1a of the bytes after the head
  bool truncated() const { return total_ > head_.size() + tail_.size(); }
  // The number of bytes that take() omits, including those dropped to keep characters whole.
  std::uint64_t omitted_bytes() const;

  // Returns the head and the tail, and empties the buffer. If bytes are missing between the two, a
  // line states how many, and UTF-8 characters at the gap are whole.
  std::string take();

 private:
  static constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325ULL;

  std::string straight_tail() const;
  // Sizes that exclude the partial characters at the gap.
  std::size_t whole_head() const;
  std::size_t partial_at_tail_start() const;

  std::size_t head_cap_;
  std::size_t tail_cap_;
  std::string head_;
  std::string tail_;            // a ring once it has reached tail_cap_
  std::size_t tail_start_ = 0;  // its oldest byte
  std::uint64_t total_ = 0;
  std::uint64_t hash_ = kEmptyHash;
};

}  // namespace sf::waypoint
