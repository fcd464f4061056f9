// Queries: what was read, written with every byte escaped, reads the same.
#include "wire/query_text.h"

#include <string>

#include "input.h"

namespace sf::fuzz {
namespace {

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (unsigned char c : text) {
    out += '%';
    out += kDigits[c >> 4U];
    out += kDigits[c & 15U];
  }
  return out;
}

}  // namespace

void query_text(std::string_view input) {
  auto parsed = wire::parse_query(input);
  if (!parsed) return check_clear(parsed.error(), ErrorCode::kInvalidArgument);
  std::string written;
  for (const auto& [key, value] : *parsed) written += "&" + escaped(key) + "=" + escaped(value);
  SF_CHECK(wire::parse_query(written).value() == *parsed);
}

}  // namespace sf::fuzz
