// Text for terminals: contains no control characters of the session, and characters are not split.
#include "cli/render/text_layout.h"

#include <nlohmann/json.hpp>

#include "input.h"
#include "wire/base64.h"

namespace sf::fuzz {
namespace {

bool has_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return true;
    auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0xFF;
    if (c == 0xC2 && next >= 0x80 && next < 0xA0) return true;  // U+0080 to U+009F
  }
  return false;
}

}  // namespace

void text_layout(std::string_view input) {
  Input in(input);
  const std::size_t most = in.byte();
  std::string_view text = in.rest();
  std::string line = cli::one_line(text, most);
  SF_CHECK(!has_controls(line));
  if (wire::is_utf8(text)) {
    SF_CHECK(wire::is_utf8(line));
    SF_CHECK(line.size() <= most + 6);  // the end of a character, and "..."
  }

  wire::Json json = wire::Json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  std::string facts = cli::facts_text(json);
  std::erase(facts, '\n');
  SF_CHECK(!has_controls(facts));
}

}  // namespace sf::fuzz
