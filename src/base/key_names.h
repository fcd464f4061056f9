// Keys by their names, as tmux has them: Enter, Down, F5, KP0, C-c, M-x, S-Up, C-M-Left, ^d. Also
// the names that other systems use: Esc, Backspace, PgDn, Return, ArrowUp, Ctrl-x. Pure.
//
// Names count in any case of letters; a key of one character is that character, in its own case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_events.h"
#include "base/result.h"

namespace sf {

enum class KeyCode {
  kCharacter,
  kEnter,
  kTab,
  kBackTab,
  kEscape,
  kBackspace,
  kUp,
  kDown,
  kRight,
  kLeft,
  kHome,
  kEnd,
  kInsert,
  kDelete,
  kPageUp,
  kPageDown,
  kFunction,  // F1 to F20
  kKeypad,    // 0-9 . , + - * / = and Enter, the last as '\r'
};

struct Key {
  KeyCode code = KeyCode::kCharacter;
  std::string character;  // kCharacter: UTF-8; kKeypad: one character
  int number = 0;         // kFunction
  bool control = false;
  bool alt = false;
  bool shift = false;
  friend bool operator==(const Key&, const Key&) = default;
};

std::optional<Key> find_key(std::string_view name);

// Fails with kInvalidArgument: the message has the nearest names, the hint how text is typed.
Result<Key> parse_key(std::string_view name);

// Keys and text as people mix them. A word that find_key() knows is that key. A word that has the
// form of a key's name, or nearly is one, and is none, is an error as of parse_key(). All other
// words are text.
Result<InputEvents> input_from_words(const std::vector<std::string>& words);

// As it would be named in a log.
std::string describe(const InputEvents& input);

}  // namespace sf
