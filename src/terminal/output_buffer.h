// OutputBuffer: the head and the tail of a byte stream that may be longer than anyone wants to
// read. Pure. The first half of the capacity keeps the stream's beginning, the second half is a
// ring with its end. Memory grows with what was appended, so a capacity of SIZE_MAX means
// unlimited; a capacity of 0 keeps nothing.
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
  std::uint64_t hash() const { return hash_; }          // of those behind the head (FNV-1a)
  bool truncated() const { return total_ > head_.size() + tail_.size(); }
  // Exactly the bytes that take() leaves out, counting those dropped to keep characters whole.
  std::uint64_t omitted_bytes() const;

  // The head and the tail; if something is missing between them, a line says how much, and no UTF-8
  // character is cut in two there. The buffer is empty afterwards.
  std::string take();

 private:
  static constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325ULL;

  std::string straight_tail() const;
  // Sizes without the partial characters at the seam.
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
