// Clean text: does not depend on how the stream is split, is UTF-8 without control characters, and
// does not change if it is cleaned again.
#include "terminal/clean_text.h"

#include <algorithm>

#include "input.h"
#include "wire/base64.h"

namespace sf::fuzz {

void clean_text(std::string_view input) {
  Input in(input);
  std::size_t largest = in.byte();
  const bool is_long = in.byte() == 'L';
  const std::string_view part = in.rest();
  std::string raw(part);
  // Makes a long line from a short input.
  while (is_long && !part.empty() && raw.size() <= waypoint::TextCleaner::kMaxLine) raw += part;
  const std::string text = waypoint::clean_text(raw);
  waypoint::TextCleaner cleaner;
  std::string from_pieces;
  for (std::string_view piece : cut(raw, largest)) from_pieces += cleaner.feed(piece);
  from_pieces += cleaner.finish();
  SF_CHECK(from_pieces == text);

  SF_CHECK(wire::is_utf8(text));
  SF_CHECK(std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  }));
  SF_CHECK(std::count(text.begin(), text.end(), '\n') <= std::count(raw.begin(), raw.end(), '\n'));
  SF_CHECK(waypoint::clean_text(text) == text);
}

}  // namespace sf::fuzz
