#include "wire/query_text.h"

#include <charconv>

#include "base/split.h"

namespace sf::wire {
namespace {

constexpr std::size_t kShown = 64;

Result<std::string> decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    bool whole = i + 2 < text.size();
    auto [end, error] = std::from_chars(digits, digits + (whole ? 2 : 0), byte, 16);
    if (!whole || error != std::errc() || end != digits + 2)
      return invalid("invalid % in the address: " + std::string(text.substr(i, kShown)));
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace

Result<std::map<std::string, std::string>> parse_query(std::string_view text) {
  std::map<std::string, std::string> found;
  if (text.empty()) return found;
  for (const std::string& part : split(text, '&')) {
    if (part.empty()) continue;
    std::size_t equals = std::min(part.find('='), part.size());
    SF_TRY_ASSIGN(std::string key, decode(std::string_view(part).substr(0, equals)));
    std::string_view rest = std::string_view(part).substr(equals);
    SF_TRY_ASSIGN(std::string value, decode(rest.substr(rest.empty() ? 0 : 1)));
    if (!found.emplace(key, std::move(value)).second)
      return invalid("the query parameter \"" + key.substr(0, kShown) + "\" is given twice");
  }
  return found;
}

}  // namespace sf::wire
