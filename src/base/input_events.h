// Input to a terminal: text, keys, a paste, the mouse. Plain data. The bytes that the program
// receives depend on the terminal modes that it has set, so the emulator produces them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sf {

struct MouseEvent {
  enum class Action { kPress, kRelease, kClick, kMove, kWheelUp, kWheelDown };
  enum class Button { kNone, kLeft, kMiddle, kRight };
  Action action = Action::kClick;
  Button button = Button::kLeft;  // kMove: the button held, or kNone; unused for the wheel
  std::uint16_t row = 0;          // from 0
  std::uint16_t col = 0;          // from 0
  bool control = false;
  bool alt = false;
  bool shift = false;
  friend bool operator==(const MouseEvent&, const MouseEvent&) = default;
};

struct InputEvent {
  enum class Kind { kText, kKey, kPaste, kMouse };
  Kind kind = Kind::kText;
  std::string text;  // kText: the bytes; kKey: the key's name (key_names.h); kPaste: the text
  MouseEvent mouse;  // kMouse
  friend bool operator==(const InputEvent&, const InputEvent&) = default;
};

// In the order of typing. Either all events are typed or none.
using InputEvents = std::vector<InputEvent>;

}  // namespace sf
