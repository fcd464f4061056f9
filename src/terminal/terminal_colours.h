// TerminalColours: the colours of a terminal. The defaults are xterm's. Programs set colours
// (OSC 4, OSC 10 to 19) and reset them (OSC 104, OSC 110 to 119). Pure.
//
// A colour is given as rgb:R/G/B or #RGB, with one to four digits each. X11's colour names, which
// xterm supports, are not supported: such a sequence has no effect.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sf::waypoint {

struct Rgb {
  int red = 0;  // 0..255
  int green = 0;
  int blue = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

class TerminalColours {
 public:
  static constexpr int kPaletteSize = 256;
  static constexpr int kFirstText =
      10;  // OSC number of the colour of text; 11 is its background, 12 the cursor
  static constexpr int kLastText = 19;

  // Executes an OSC sequence. `osc`: its bytes up to the terminator. Ignores other sequences.
  void obey(std::string_view osc);
  // For RIS and DECSTR, as in xterm.
  void reset_palette() { palette_.clear(); }
  // Whether all colours are the defaults.
  bool empty() const { return palette_.empty() && text_.empty(); }

  // Requires: 0 <= index < kPaletteSize.
  Rgb palette(int index) const;
  // Requires: kFirstText <= number <= kLastText.
  Rgb text(int number) const;
  // The sequences that set all colours that differ from the defaults.
  std::string repaint() const;

 private:
  std::map<int, Rgb> palette_;
  std::map<int, Rgb> text_;  // by the numbers of their OSC sequences
};

// xterm's form of a colour in answers: "rgb:ffff/0000/8080".
std::string colour_text(const Rgb& colour);

}  // namespace sf::waypoint
