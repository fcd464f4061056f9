// Entry point for libFuzzer. Compiled once per fuzzer, with SF_FUZZ_TARGET as its name.
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sf::fuzz {

void SF_FUZZ_TARGET(std::string_view input);

}  // namespace sf::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sf::fuzz::SF_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
