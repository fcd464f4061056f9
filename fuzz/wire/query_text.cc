// Query strings: the parsed values survive a round trip in which every byte is escaped.
#include "wire/query_text.h"

#include <string>

#include "input.h"

namespace sf::fuzz {
namespace {

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
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
