#include "cli/key_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sf::cli {
namespace {

struct Key {
  std::string_view name;
  std::string_view bytes;
};

constexpr std::array kKeys = {
    Key{"enter", "\r"},         Key{"tab", "\t"},         Key{"btab", "\x1b[Z"},
    Key{"space", " "},          Key{"escape", "\x1b"},    Key{"bspace", "\x7f"},
    Key{"delete", "\x1b[3~"},   Key{"dc", "\x1b[3~"},     Key{"insert", "\x1b[2~"},
    Key{"ic", "\x1b[2~"},       Key{"up", "\x1b[A"},      Key{"down", "\x1b[B"},
    Key{"right", "\x1b[C"},     Key{"left", "\x1b[D"},    Key{"home", "\x1b[H"},
    Key{"end", "\x1b[F"},       Key{"pageup", "\x1b[5~"}, Key{"ppage", "\x1b[5~"},
    Key{"pagedown", "\x1b[6~"}, Key{"npage", "\x1b[6~"},  Key{"f1", "\x1bOP"},
    Key{"f2", "\x1bOQ"},        Key{"f3", "\x1bOR"},      Key{"f4", "\x1bOS"},
    Key{"f5", "\x1b[15~"},      Key{"f6", "\x1b[17~"},    Key{"f7", "\x1b[18~"},
    Key{"f8", "\x1b[19~"},      Key{"f9", "\x1b[20~"},    Key{"f10", "\x1b[21~"},
    Key{"f11", "\x1b[23~"},     Key{"f12", "\x1b[24~"},
};

// Control with a letter, or with one of @ [ \ ] ^ _ ? and the space bar.
std::optional<std::string> control_byte(std::string_view key) {
  if (key == "Space" || key == "space") key = "@";
  if (key.size() != 1) return std::nullopt;
  const auto c = static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(key.front())));
  if (c == '?') return "\x7f";
  if (c < '@' || c > '_') return std::nullopt;
  return std::string(1, static_cast<char>(c ^ 0x40U));
}

// Any key but with Alt.
std::optional<std::string> plain_key(std::string_view word) {
  if (word.starts_with("C-") || word.starts_with("c-")) return control_byte(word.substr(2));
  if (word.size() == 2 && word.front() == '^') return control_byte(word.substr(1));
  std::string name(word);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Key& key : kKeys) {
    if (key.name == name) return std::string(key.bytes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> key_bytes(std::string_view word) {
  std::string escapes;  // one for each Alt; a word may have very many of them
  while (word.size() > 2 && (word.starts_with("M-") || word.starts_with("m-"))) {
    escapes += '\x1b';
    word.remove_prefix(2);
  }
  if (auto bytes = plain_key(word)) return escapes + *bytes;
  if (!escapes.empty() && word.size() == 1) return escapes + std::string(word);
  return std::nullopt;
}

std::string typed_bytes(const std::vector<std::string>& words) {
  std::string bytes;
  for (const std::string& word : words) bytes += key_bytes(word).value_or(word);
  return bytes;
}

}  // namespace sf::cli
