// Names of keys: a word is a key and gives bytes, is plain text, or is rejected.
#include "base/key_names.h"

#include "base/split.h"
#include "input.h"
#include "terminal/input_encoding.h"

namespace sf::fuzz {

void key_names(std::string_view input) {
  const std::vector<std::string> words = split(input, '\n');
  std::size_t typed = 0;
  for (const std::string& word : words) {
    typed += word.empty() ? 0 : 1;
    const auto key = find_key(word);
    SF_CHECK(key.has_value() == parse_key(word).ok());
    if (!key) continue;
    SF_CHECK(!waypoint::encode_key(*key, {}).empty());
    Key with_alt = *key;
    with_alt.alt = true;
    SF_CHECK(find_key("M-" + word) == with_alt);
  }
  const auto events = input_from_words(words);
  if (!events) return;
  SF_CHECK(events->size() == typed);
  SF_CHECK(waypoint::encode_input(*events, {}, {}).ok());
}

}  // namespace sf::fuzz
