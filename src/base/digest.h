// Digest: 128-bit FNV-1a over a sequence of texts. Compares long texts where forgery is no concern:
// FNV-1a is not cryptographic. The boundaries of the texts count: "ab","c" and "a","bc" differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sf {

class Digest {
 public:
  Digest& add(std::string_view text) {
    mix(text);
    const std::uint64_t size = text.size();
    mix({reinterpret_cast<const char*>(&size), sizeof size});
    return *this;
  }
  std::string hex() const {
    std::string digits;
    for (int shift = 124; shift >= 0; shift -= 4)
      digits += "0123456789abcdef"[static_cast<unsigned>(state_ >> shift) & 15U];
    return digits;
  }

 private:
  using Wide = unsigned __int128;
  static constexpr Wide wide(std::uint64_t high, std::uint64_t low) {
    return static_cast<Wide>(high) << 64U | low;
  }

  void mix(std::string_view bytes) {
    for (char byte : bytes)
      state_ = (state_ ^ static_cast<unsigned char>(byte)) * wide(1U << 24U, 0x13b);
  }

  Wide state_ = wide(0x6c62272e07bb0142, 0x62b821756295c58d);
};

}  // namespace sf
