// WordDigest: like Digest, for long contents: hashes eight bytes at a time. The content may be
// added in pieces.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sf {

class WordDigest {
 public:
  // Requires: every earlier piece was a multiple of eight bytes long.
  void add(std::string_view bytes) {
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) mix(word_at(bytes, 8));
    if (!bytes.empty()) mix(word_at(bytes, bytes.size()));
  }
  std::string hex() const {
    std::string digits;
    for (int shift = 124; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[static_cast<unsigned>(state_ >> shift) & 15U];
    return digits;
  }

 private:
  using Wide = unsigned __int128;

  static std::uint64_t word_at(std::string_view bytes, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), size);
    return word;
  }
  // FNV-1a's constants; the factor is odd, so no two words lead to the same state.
  void mix(std::uint64_t word) {
    constexpr Wide kFactor = static_cast<Wide>(1U << 24U) << 64U | 0x13b;
    state_ = (state_ ^ word) * kFactor;
    state_ ^= state_ >> 67U;  // mixes high bits back into the low ones
  }

  Wide state_ = static_cast<Wide>(0x6c62272e07bb0142) << 64U | 0x62b821756295c58d;
};

}  // namespace sf
