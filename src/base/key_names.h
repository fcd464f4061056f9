// Keys by name, as in tmux: Enter, Down, F5, KP0, C-c, M-x, S-Up, C-M-Left, ^d. Names that other
// systems use are also accepted: Esc, Backspace, PgDn, Return, ArrowUp, Ctrl-x. Pure.
//
// Names are case-insensitive. A key of one character is that character, case-sensitive.
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

// Fails with kInvalidArgument. The message lists the nearest names; the hint says how to type text.
Result<Key> parse_key(std::string_view name);

// Parses a mix of keys and text. A word that find_key() knows is that key. A word that looks like a
// key's name but is none is an error, as in parse_key(). All other words are text.
Result<InputEvents> input_from_words(const std::vector<std::string>& words);

// For logs.
std::string describe(const InputEvents& input);

}  // namespace sf
