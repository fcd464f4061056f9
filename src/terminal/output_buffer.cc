#include "terminal/output_buffer.h"

#include <algorithm>
#include <utility>

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kHashPrime = 0x100000001b3ULL;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t length_from_lead(char c) {
  const auto lead = static_cast<unsigned char>(c);
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}

}  // namespace

void OutputBuffer::append(std::string_view bytes) {
  total_ += bytes.size();
  if (head_.size() < head_cap_) {
    const std::string_view part = bytes.substr(0, head_cap_ - head_.size());
    head_.append(part);
    bytes.remove_prefix(part.size());
  }
  for (char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * kHashPrime;
  if (tail_cap_ == 0 || bytes.empty()) return;
  if (bytes.size() >= tail_cap_) {
    tail_ = bytes.substr(bytes.size() - tail_cap_);
    tail_start_ = 0;
    return;
  }
  if (tail_.size() < tail_cap_) {
    const std::string_view part = bytes.substr(0, tail_cap_ - tail_.size());
    tail_.append(part);
    bytes.remove_prefix(part.size());
  }
  while (!bytes.empty()) {  // up to the end of the ring, then from its start
    const std::string_view part = bytes.substr(0, tail_cap_ - tail_start_);
    std::copy(part.begin(), part.end(), tail_.begin() + static_cast<std::ptrdiff_t>(tail_start_));
    tail_start_ = (tail_start_ + part.size()) % tail_cap_;
    bytes.remove_prefix(part.size());
  }
}

std::uint64_t OutputBuffer::omitted_bytes() const {
  if (!truncated()) return 0;
  return total_ - whole_head() - (tail_.size() - partial_at_tail_start());
}

std::string OutputBuffer::take() {
  std::string text;
  if (!truncated()) {
    text = std::move(head_);
    text += straight_tail();
  } else if (tail_cap_ > 0) {
    text = head_.substr(0, whole_head());
    text += "\n[... " + std::to_string(omitted_bytes()) + " bytes omitted ...]\n";
    text += straight_tail().substr(partial_at_tail_start());
  }
  head_.clear();
  tail_.clear();
  hash_ = kEmptyHash;
  tail_start_ = 0;
  total_ = 0;
  return text;
}

std::string OutputBuffer::straight_tail() const {
  return tail_.substr(tail_start_) + tail_.substr(0, tail_start_);
}

std::size_t OutputBuffer::whole_head() const {
  std::size_t lead = head_.size();
  for (int i = 0; i < 3 && lead > 0; ++i) {
    --lead;
    if (is_continuation(head_[lead])) continue;
    return lead + length_from_lead(head_[lead]) > head_.size() ? lead : head_.size();
  }
  return head_.size();
}

std::size_t OutputBuffer::partial_at_tail_start() const {
  std::size_t n = 0;
  while (n < 3 && n < tail_.size() && is_continuation(tail_[(tail_start_ + n) % tail_.size()])) ++n;
  return n;
}

}  // namespace sf::waypoint
