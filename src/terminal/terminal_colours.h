// TerminalColours: the colours of a terminal, which programs set (OSC 4, OSC 10 to 19) and reset
// (OSC 104, OSC 110 to 119). Without that they are xterm's. Pure.
//
// A colour is given as rgb:R/G/B or #RGB, with one to four digits each. xterm also knows names of
// X11, which are not known here: such a sequence has no effect.
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

  // What an OSC sequence does, told by its bytes up to the terminator. Most do nothing here.
  void obey(std::string_view osc);
  // RIS and DECSTR do so in xterm.
  void reset_palette() { palette_.clear(); }
  // Whether nothing was set.
  bool empty() const { return palette_.empty() && text_.empty(); }

  // Requires: 0 <= index < kPaletteSize.
  Rgb palette(int index) const;
  // Requires: kFirstText <= number <= kLastText.
  Rgb text(int number) const;
  // The sequences that set what was set.
  std::string repaint() const;

 private:
  std::map<int, Rgb> palette_;
  std::map<int, Rgb> text_;  // by the numbers of their OSC sequences
};

// "rgb:ffff/0000/8080", as xterm tells a colour.
std::string colour_text(const Rgb& colour);

}  // namespace sf::waypoint
