#include "terminal/input_encoding.h"

#include <cctype>
#include <utility>

#include "terminal/utf8.h"

namespace sf::waypoint {
namespace {

constexpr int kApplicationCursor = 1;   // DECCKM
constexpr int kApplicationKeypad = 66;  // DECNKM
constexpr int kPressMouse = 9;          // X10: presses only
constexpr int kButtonMouse = 1000;      // presses and releases
constexpr int kDragMouse = 1002;        // and motion while a button is held
constexpr int kMotionMouse = 1003;      // and all motion
constexpr int kUtf8Positions = 1005;
constexpr int kSgrPositions = 1006;
constexpr int kUrxvtPositions = 1015;
constexpr int kBracketedPaste = 2004;

constexpr int kLastByteColumn = 223;   // 32 + 223 is the largest byte
constexpr int kLastUtf8Column = 2015;  // 32 + 2015 is the largest code point of two bytes

int modifier_number(const Key& key) {
  return 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.control ? 4 : 0);
}

// Keys with a final letter: CSI, SS3 or, with modifiers, CSI 1 ; m.
std::string letter_key(const Key& key, char final, bool is_application) {
  const int modifiers = modifier_number(key);
  if (modifiers > 1) return "\x1b[1;" + std::to_string(modifiers) + final;
  return std::string(is_application ? "\x1bO" : "\x1b[") + final;
}

std::string numbered_key(const Key& key, int number) {
  const int modifiers = modifier_number(key);
  std::string bytes = "\x1b[" + std::to_string(number);
  if (modifiers > 1) bytes += ";" + std::to_string(modifiers);
  return bytes + "~";
}

std::string function_key(const Key& key) {
  static constexpr int kNumbers[] = {15, 17, 18, 19, 20, 21, 23, 24,
                                     25, 26, 28, 29, 31, 32, 33, 34};
  if (key.number <= 4) return letter_key(key, static_cast<char>('P' + key.number - 1), true);
  return numbered_key(key, kNumbers[key.number - 5]);
}

// The character that Control and `c` send, on the keyboard layout that xterm and tmux assume.
char control_character(char c) {
  static constexpr std::string_view kKeys = "1!9(0)=+;:'\",<.>/-8? 2";
  static constexpr std::string_view kSent("119900=+;;'',,..\x1f\x1f\x7f\x7f\0\0", 22);
  if (const std::size_t at = kKeys.find(c); at != std::string_view::npos) return kSent[at];
  if (c >= '3' && c <= '7') return static_cast<char>(c - 0x18);
  if (c >= '@' && c <= '~') return static_cast<char>(c & 0x1f);
  return c;
}

std::string character_key(const Key& key) {
  std::string bytes = key.character;
  if (bytes.size() == 1) {
    char& c = bytes.front();
    if (key.shift) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (key.control) c = control_character(c);
  }
  return bytes;
}

std::string keypad_key(const Key& key, bool is_application) {
  if (!is_application) return key.character;
  static constexpr std::string_view kKeys = "0123456789.,+-*/=\r";
  static constexpr std::string_view kSent = "pqrstuvwxynlkmjoXM";
  return std::string("\x1bO") + kSent[kKeys.find(key.character.front())];
}

bool has_mouse(const TerminalModes& modes) {
  return modes.has(kPressMouse) || modes.has(kButtonMouse) || modes.has(kDragMouse) ||
         modes.has(kMotionMouse);
}

// Encodes one report. `button`: xterm's button number with the bits for modifiers and motion.
Result<std::string> mouse_report(int button, const MouseEvent& event, bool is_release,
                                 const TerminalModes& modes) {
  const int col = event.col + 1;
  const int row = event.row + 1;
  const std::string location = std::to_string(col) + ";" + std::to_string(row);
  if (modes.has(kSgrPositions))
    return "\x1b[<" + std::to_string(button) + ";" + location + (is_release ? "m" : "M");
  if (is_release) button |= 3;  // this form does not report the released button
  if (modes.has(kUrxvtPositions))
    return "\x1b[" + std::to_string(button + 32) + ";" + location + "M";
  const bool is_utf8 = modes.has(kUtf8Positions);
  const int last = is_utf8 ? kLastUtf8Column : kLastByteColumn;
  if (col > last || row > last)
    return invalid("the program's mouse mode cannot report a column or row beyond " +
                   std::to_string(last));
  std::string bytes = "\x1b[M";
  for (const int number : {button + 32, col + 32, row + 32}) {
    if (is_utf8) {
      append_utf8(bytes, static_cast<char32_t>(number));
    } else {
      bytes += static_cast<char>(number);
    }
  }
  return bytes;
}

}  // namespace

std::string encode_key(const Key& key, const TerminalModes& modes) {
  const bool is_cursor = modes.has(kApplicationCursor);
  switch (key.code) {
    case KeyCode::kUp:
      return letter_key(key, 'A', is_cursor);
    case KeyCode::kDown:
      return letter_key(key, 'B', is_cursor);
    case KeyCode::kRight:
      return letter_key(key, 'C', is_cursor);
    case KeyCode::kLeft:
      return letter_key(key, 'D', is_cursor);
    case KeyCode::kHome:
      return letter_key(key, 'H', is_cursor);
    case KeyCode::kEnd:
      return letter_key(key, 'F', is_cursor);
    case KeyCode::kInsert:
      return numbered_key(key, 2);
    case KeyCode::kDelete:
      return numbered_key(key, 3);
    case KeyCode::kPageUp:
      return numbered_key(key, 5);
    case KeyCode::kPageDown:
      return numbered_key(key, 6);
    case KeyCode::kFunction:
      return function_key(key);
    default:
      break;
  }
  std::string bytes;
  if (key.code == KeyCode::kEnter) bytes = modes.is_newline ? "\r\n" : "\r";
  if (key.code == KeyCode::kTab) bytes = key.shift ? "\x1b[Z" : "\t";
  if (key.code == KeyCode::kBackTab) bytes = "\x1b[Z";
  if (key.code == KeyCode::kEscape) bytes = "\x1b";
  if (key.code == KeyCode::kBackspace) bytes = key.control ? "\b" : "\x7f";
  if (key.code == KeyCode::kKeypad)
    bytes = keypad_key(key, modes.is_keypad || modes.has(kApplicationKeypad));
  if (key.code == KeyCode::kCharacter) bytes = character_key(key);
  return key.alt ? "\x1b" + bytes : bytes;
}

std::string encode_paste(std::string_view text, const TerminalModes& modes) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (c == '\n' || c == '\r') {
      bytes += '\r';
    } else if (c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f')) {
      bytes += c;
    }
  }
  return modes.has(kBracketedPaste) ? "\x1b[200~" + bytes + "\x1b[201~" : bytes;
}

Result<std::string> encode_mouse(const MouseEvent& event, const TerminalModes& modes,
                                 WindowSize size) {
  using Action = MouseEvent::Action;
  if (!has_mouse(modes))
    return invalid("the program in the terminal did not ask for the mouse; nothing was typed",
                   "send keys instead");
  if (event.row >= size.rows || event.col >= size.cols)
    return invalid("row " + std::to_string(event.row) + ", column " + std::to_string(event.col) +
                       " is outside of the screen of " + std::to_string(size.rows) + " rows and " +
                       std::to_string(size.cols) + " columns",
                   "rows and columns count from 0");
  const bool presses_only = modes.has(kPressMouse);
  int button = event.button == MouseEvent::Button::kNone ? 3 : static_cast<int>(event.button) - 1;
  if (event.action == Action::kWheelUp) button = 64;
  if (event.action == Action::kWheelDown) button = 65;
  if (event.action == Action::kMove) {
    const bool is_drag = event.button != MouseEvent::Button::kNone && modes.has(kDragMouse);
    if (!is_drag && !modes.has(kMotionMouse))
      return invalid("the program did not ask for this mouse motion; nothing was typed",
                     modes.has(kDragMouse) ? "hold a button during the motion" : "use a click");
    button += 32;
  } else if (button == 3) {
    return invalid("a press, release or click needs a button: left, middle or right");
  }
  if (!presses_only)
    button += (event.shift ? 4 : 0) + (event.alt ? 8 : 0) + (event.control ? 16 : 0);
  if (presses_only && (event.action == Action::kRelease || button >= 64))
    return invalid("the program asked only for presses of buttons; nothing was typed");
  SF_TRY_ASSIGN(std::string bytes,
                mouse_report(button, event, event.action == Action::kRelease, modes));
  if (event.action == Action::kClick && !presses_only) {
    SF_TRY_ASSIGN(std::string release, mouse_report(button, event, true, modes));
    bytes += release;
  }
  return bytes;
}

Result<std::string> encode_input(const InputEvents& input, const TerminalModes& modes,
                                 WindowSize size) {
  std::string bytes;
  for (const InputEvent& event : input) {
    switch (event.kind) {
      case InputEvent::Kind::kText:
        bytes += event.text;
        break;
      case InputEvent::Kind::kKey: {
        SF_TRY_ASSIGN(Key key, parse_key(event.text));
        bytes += encode_key(key, modes);
        break;
      }
      case InputEvent::Kind::kPaste:
        bytes += encode_paste(event.text, modes);
        break;
      case InputEvent::Kind::kMouse: {
        SF_TRY_ASSIGN(std::string report, encode_mouse(event.mouse, modes, size));
        bytes += report;
        break;
      }
    }
  }
  return bytes;
}

}  // namespace sf::waypoint
