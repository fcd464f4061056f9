#include "base/key_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace sf {
namespace {

struct NamedKey {
  std::string_view name;  // as shown in suggestions
  KeyCode code;
  std::string_view character = {};
};

// Suggestions use the first name of each key.
constexpr std::array kNamedKeys = {
    NamedKey{"Enter", KeyCode::kEnter},
    NamedKey{"Return", KeyCode::kEnter},
    NamedKey{"Tab", KeyCode::kTab},
    NamedKey{"BTab", KeyCode::kBackTab},
    NamedKey{"BackTab", KeyCode::kBackTab},
    NamedKey{"Space", KeyCode::kCharacter, " "},
    NamedKey{"Escape", KeyCode::kEscape},
    NamedKey{"Esc", KeyCode::kEscape},
    NamedKey{"BSpace", KeyCode::kBackspace},
    NamedKey{"Backspace", KeyCode::kBackspace},
    NamedKey{"Up", KeyCode::kUp},
    NamedKey{"ArrowUp", KeyCode::kUp},
    NamedKey{"Down", KeyCode::kDown},
    NamedKey{"ArrowDown", KeyCode::kDown},
    NamedKey{"Left", KeyCode::kLeft},
    NamedKey{"ArrowLeft", KeyCode::kLeft},
    NamedKey{"Right", KeyCode::kRight},
    NamedKey{"ArrowRight", KeyCode::kRight},
    NamedKey{"Home", KeyCode::kHome},
    NamedKey{"End", KeyCode::kEnd},
    NamedKey{"Insert", KeyCode::kInsert},
    NamedKey{"IC", KeyCode::kInsert},
    NamedKey{"Ins", KeyCode::kInsert},
    NamedKey{"Delete", KeyCode::kDelete},
    NamedKey{"DC", KeyCode::kDelete},
    NamedKey{"Del", KeyCode::kDelete},
    NamedKey{"PageUp", KeyCode::kPageUp},
    NamedKey{"PgUp", KeyCode::kPageUp},
    NamedKey{"PPage", KeyCode::kPageUp},
    NamedKey{"PageDown", KeyCode::kPageDown},
    NamedKey{"PgDn", KeyCode::kPageDown},
    NamedKey{"NPage", KeyCode::kPageDown},
    NamedKey{"KP0", KeyCode::kKeypad, "0"},
    NamedKey{"KP1", KeyCode::kKeypad, "1"},
    NamedKey{"KP2", KeyCode::kKeypad, "2"},
    NamedKey{"KP3", KeyCode::kKeypad, "3"},
    NamedKey{"KP4", KeyCode::kKeypad, "4"},
    NamedKey{"KP5", KeyCode::kKeypad, "5"},
    NamedKey{"KP6", KeyCode::kKeypad, "6"},
    NamedKey{"KP7", KeyCode::kKeypad, "7"},
    NamedKey{"KP8", KeyCode::kKeypad, "8"},
    NamedKey{"KP9", KeyCode::kKeypad, "9"},
    NamedKey{"KP.", KeyCode::kKeypad, "."},
    NamedKey{"KP,", KeyCode::kKeypad, ","},
    NamedKey{"KP+", KeyCode::kKeypad, "+"},
    NamedKey{"KP-", KeyCode::kKeypad, "-"},
    NamedKey{"KP*", KeyCode::kKeypad, "*"},
    NamedKey{"KP/", KeyCode::kKeypad, "/"},
    NamedKey{"KP=", KeyCode::kKeypad, "="},
    NamedKey{"KPEnter", KeyCode::kKeypad, "\r"},
};

struct ModifierName {
  std::string_view name;
  bool Key::*flag;
};
constexpr std::array kModifierNames = {
    ModifierName{"C-", &Key::control},       ModifierName{"M-", &Key::alt},
    ModifierName{"S-", &Key::shift},         ModifierName{"Ctrl-", &Key::control},
    ModifierName{"Ctrl+", &Key::control},    ModifierName{"Control-", &Key::control},
    ModifierName{"Control+", &Key::control}, ModifierName{"Alt-", &Key::alt},
    ModifierName{"Alt+", &Key::alt},         ModifierName{"Meta-", &Key::alt},
    ModifierName{"Shift-", &Key::shift},     ModifierName{"Shift+", &Key::shift},
};

constexpr int kFunctionKeys = 20;
constexpr std::size_t kLongestName = 64;  // with all modifiers; longer words are not compared
constexpr std::size_t kSuggestions = 3;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_one_character(std::string_view text) {
  if (text.empty()) return false;
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return text.size() == 1 && lead >= 0x20 && lead != 0x7f;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && lead <= 0xf4 && text.size() == size &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; });
}

// Removes one modifier ("C-", "Ctrl-", ...) from the front of the word.
bool take_modifier(std::string_view& word, Key& key) {
  for (const ModifierName& modifier : kModifierNames) {
    if (word.size() <= modifier.name.size() ||
        lower_case(word.substr(0, modifier.name.size())) != lower_case(modifier.name))
      continue;
    key.*modifier.flag = true;
    word.remove_prefix(modifier.name.size());
    return true;
  }
  if (word.size() > 1 && word.front() == '^') {
    key.control = true;
    word.remove_prefix(1);
    return true;
  }
  return false;
}

std::optional<int> function_number(std::string_view lower) {
  if (lower.size() < 2 || lower.size() > 3 || lower[0] != 'f' || lower[1] == '0')
    return std::nullopt;
  int number = 0;
  for (const char c : lower.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number <= kFunctionKeys ? std::optional(number) : std::nullopt;
}

// Edit distance: the number of letters to change, add or remove.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

struct Nearness {
  std::size_t distance = 0;
  std::string_view name;
};

// Nearest first.
std::vector<Nearness> near_names(std::string_view word) {
  std::vector<Nearness> near;
  const std::string lower = lower_case(word.substr(0, kLongestName));
  for (const NamedKey& key : kNamedKeys)
    near.push_back({distance(lower, lower_case(key.name)), key.name});
  std::stable_sort(near.begin(), near.end(),
                   [](const Nearness& a, const Nearness& b) { return a.distance < b.distance; });
  return near;
}

std::string_view without_modifiers(std::string_view word, std::string_view* taken = nullptr) {
  Key ignored;
  const std::string_view whole = word;
  while (take_modifier(word, ignored)) {
  }
  if (taken != nullptr) *taken = whole.substr(0, whole.size() - word.size());
  return word;
}

// Whether the word was probably meant as a key: it has a modifier in tmux's spelling, is "F" or
// "KP" followed by digits, or differs from a key's name by one or two letters.
bool looks_like_key(std::string_view word) {
  if (word.size() > kLongestName) return false;
  if (word.size() > 2 && std::string_view("CMS").find(word[0]) != std::string_view::npos &&
      word[1] == '-')
    return word.find(' ') == std::string_view::npos;
  if (std::isupper(static_cast<unsigned char>(word.front())) == 0) return false;
  if (!std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '+');
      }))
    return false;
  std::string_view modifiers;
  const std::string_view rest = without_modifiers(word, &modifiers);
  if (!modifiers.empty()) return true;
  const auto digits_follow = [&](std::string_view prefix) {
    return rest.size() > prefix.size() && rest.starts_with(prefix) &&
           std::all_of(rest.begin() + static_cast<std::ptrdiff_t>(prefix.size()), rest.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (digits_follow("F") || digits_follow("KP")) return true;
  const std::size_t allowed = rest.size() < 6 ? 1 : 2;
  return rest.size() > 2 && near_names(rest).front().distance <= allowed;
}

Error unknown_key(std::string_view word) {
  std::string_view modifiers;
  const std::string_view rest = without_modifiers(word, &modifiers);
  std::vector<Nearness> near = near_names(rest);
  near.resize(kSuggestions);
  std::string nearest;
  for (const Nearness& one : near)
    nearest += (nearest.empty() ? "" : ", ") + std::string(modifiers) + std::string(one.name);
  return fail(ErrorCode::kInvalidArgument,
              "there is no key \"" + std::string(word.substr(0, kLongestName)) +
                  "\"; the nearest are " + nearest + "; nothing was typed",
              "type it as text: keys --literal, or {\"text\": ...} instead of {\"key\": ...}");
}

}  // namespace

std::optional<Key> find_key(std::string_view name) {
  Key key;
  while (take_modifier(name, key)) {
  }
  const std::string lower = lower_case(name.substr(0, kLongestName));
  for (const NamedKey& named : kNamedKeys) {
    if (lower_case(named.name) != lower || name.size() != lower.size()) continue;
    key.code = named.code;
    key.character = named.character;
    return key;
  }
  if (const std::optional<int> number = function_number(lower)) {
    key.code = KeyCode::kFunction;
    key.number = *number;
    return key;
  }
  if (!is_one_character(name)) return std::nullopt;
  key.character = name;
  return key;
}

Result<Key> parse_key(std::string_view name) {
  if (std::optional<Key> key = find_key(name)) return std::move(*key);
  return unknown_key(name);
}

Result<InputEvents> input_from_words(const std::vector<std::string>& words) {
  InputEvents input;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const bool is_key = find_key(word).has_value();
    if (!is_key && looks_like_key(word)) return unknown_key(word);
    input.push_back({is_key ? InputEvent::Kind::kKey : InputEvent::Kind::kText, word, {}});
  }
  return input;
}

std::string describe(const InputEvents& input) {
  std::string text;
  for (const InputEvent& event : input) {
    switch (event.kind) {
      case InputEvent::Kind::kText:
      case InputEvent::Kind::kPaste:
        text += event.text;
        break;
      case InputEvent::Kind::kKey:
        text += "<" + event.text + ">";
        break;
      case InputEvent::Kind::kMouse:
        text += "<mouse " + std::to_string(event.mouse.row) + "," +
                std::to_string(event.mouse.col) + ">";
        break;
    }
  }
  return text;
}

}  // namespace sf
