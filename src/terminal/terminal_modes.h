// TerminalModes: what a program has switched on in its terminal. Followed by Emulator as the
// sequences pass; decides what keys, mouse and pastes send (input_encoding.h). Plain data.
#pragma once

#include <array>
#include <map>
#include <utility>

namespace sf::waypoint {

struct TerminalModes {
  std::map<int, bool> dec;        // other DECSET modes that were ever switched
  bool is_origin = false;         // DECOM
  bool is_insert = false;         // IRM
  bool is_newline = false;        // LNM
  bool is_keypad = false;         // DECKPAM
  std::array<char, 4> charset{};  // designated to G0..G3; 0: never
  int shift = 0;                  // which of them text uses
  std::pair<int, int> rows;       // DECSTBM: first and last row that scroll, from 1; {0, 0}: all
  std::pair<int, int> cols;       // DECSLRM, likewise
  int cursor_style = 0;           // DECSCUSR

  // Only autowrap is on from the start.
  bool has(int dec_mode) const {
    const auto found = dec.find(dec_mode);
    return found == dec.end() ? dec_mode == 7 : found->second;
  }
};

}  // namespace sf::waypoint
