// Keys by their names: a word is a key and becomes its bytes, or it is typed as it is.
#include "cli/key_names.h"

#include "base/split.h"
#include "input.h"

namespace sf::fuzz {

void key_names(std::string_view input) {
  std::string typed;
  std::vector<std::string> words = split(input, '\n');
  for (const std::string& word : words) {
    auto bytes = cli::key_bytes(word);
    SF_CHECK(!bytes || !bytes->empty());
    typed += bytes.value_or(word);
    // Alt and a key is that key behind an escape.
    if (bytes) SF_CHECK(cli::key_bytes("M-" + word) == "\x1b" + *bytes);
  }
  SF_CHECK(cli::typed_bytes(words) == typed);
}

}  // namespace sf::fuzz
