// TerminalModes: the modes that programs have set in the terminal. Emulator updates them; the
// encoding of keys, mouse events and pastes depends on them (input_encoding.h). Plain data.
#pragma once

#include <array>
#include <map>
#include <utility>

namespace sf::waypoint {

struct TerminalModes {
  std::map<int, bool> dec;        // other DECSET modes that were ever set or reset
  bool is_origin = false;         // DECOM
  bool is_insert = false;         // IRM
  bool is_newline = false;        // LNM
  bool is_keypad = false;         // DECKPAM
  std::array<char, 4> charset{};  // designated to G0..G3; 0: never
  int shift = 0;                  // index of the charset in use
  std::pair<int, int> rows;       // DECSTBM: first and last row that scroll, from 1; {0, 0}: all
  std::pair<int, int> cols;       // DECSLRM: first and last column, likewise
  int cursor_style = 0;           // DECSCUSR

  // Autowrap (mode 7) is on by default; all others are off.
  bool has(int dec_mode) const {
    const auto found = dec.find(dec_mode);
    return found == dec.end() ? dec_mode == 7 : found->second;
  }
};

}  // namespace sf::waypoint
