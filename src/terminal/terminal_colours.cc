#include "terminal/terminal_colours.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

namespace sf::waypoint {
namespace {

constexpr Rgb kForeground{0xe5, 0xe5, 0xe5};
constexpr Rgb kBackground{0, 0, 0};
constexpr int kPaletteOsc = 4;
constexpr int kResetPalette = 104;
constexpr int kResetText = 100;  // added to the number of the colour

// Removes the part up to the next ';' from the front.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(';'), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

std::optional<int> number_of(std::string_view word, int base = 10) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (word.empty() || word.size() > 4 || error != std::errc() || value < 0 ||
      end != word.data() + word.size())
    return std::nullopt;
  return value;
}

// The high byte of a 16-bit component, as on a screen with 24 bits per pixel.
constexpr int high_byte(int value) { return value >> 8; }

// For rgb:R/G/B: scales the digits to the whole range, so F is the maximum.
std::optional<int> scaled(std::string_view digits) {
  const auto value = number_of(digits, 16);
  if (!value) return std::nullopt;
  const int most = (1 << (4 * static_cast<int>(digits.size()))) - 1;
  return high_byte(static_cast<int>(static_cast<long>(*value) * 0xffff / most));
}

// For #RGB: the digits are the most significant ones.
std::optional<int> shifted(std::string_view digits) {
  const auto value = number_of(digits, 16);
  if (!value) return std::nullopt;
  return high_byte(*value << (16 - 4 * static_cast<int>(digits.size())));
}

std::optional<Rgb> parse_colour(std::string_view text) {
  constexpr std::string_view kRgb = "rgb:";
  std::array<std::optional<int>, 3> parts;
  if (text.starts_with(kRgb)) {
    text.remove_prefix(kRgb.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t end = i + 1 < parts.size() ? text.find('/') : text.size();
      if (end == std::string_view::npos) return std::nullopt;
      parts[i] = scaled(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  } else if (text.starts_with('#') && text.size() % 3 == 1 && text.size() > 1) {
    const std::size_t digits = text.size() / 3;
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = shifted(text.substr(1 + i * digits, digits));
  }
  if (!parts[0] || !parts[1] || !parts[2]) return std::nullopt;
  return Rgb{*parts[0], *parts[1], *parts[2]};
}

// xterm's 256 colours.
Rgb usual_palette(int index) {
  static constexpr std::array<Rgb, 16> kFirst = {{{0, 0, 0},
                                                  {205, 0, 0},
                                                  {0, 205, 0},
                                                  {205, 205, 0},
                                                  {0, 0, 238},
                                                  {205, 0, 205},
                                                  {0, 205, 205},
                                                  {229, 229, 229},
                                                  {127, 127, 127},
                                                  {255, 0, 0},
                                                  {0, 255, 0},
                                                  {255, 255, 0},
                                                  {92, 92, 255},
                                                  {255, 0, 255},
                                                  {0, 255, 255},
                                                  {255, 255, 255}}};
  if (index < 16) return kFirst[static_cast<std::size_t>(index)];
  if (index >= 232) {
    const int grey = 8 + 10 * (index - 232);
    return {grey, grey, grey};
  }
  const auto level = [](int step) { return step == 0 ? 0 : 55 + 40 * step; };
  const int cube = index - 16;
  return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

}  // namespace

void TerminalColours::obey(std::string_view osc) {
  const int what = number_of(next_word(osc)).value_or(-1);
  if (what == kPaletteOsc) {
    while (!osc.empty()) {  // pairs of an index and a colour, up to the first invalid one
      const auto index = number_of(next_word(osc));
      if (!index || *index >= kPaletteSize) return;
      const std::string_view word = next_word(osc);
      if (word == "?") continue;
      const auto colour = parse_colour(word);
      if (!colour) return;
      palette_[*index] = *colour;
    }
  } else if (what >= kFirstText && what <= kLastText) {
    // The first word is for colour `what`, the next one for the next number, and so on.
    for (int number = what; number <= kLastText && !osc.empty(); ++number) {
      if (const auto colour = parse_colour(next_word(osc))) text_[number] = *colour;
    }
  } else if (what == kResetPalette) {
    if (osc.empty()) palette_.clear();
    while (!osc.empty()) palette_.erase(number_of(next_word(osc)).value_or(-1));
  } else if (what >= kResetText + kFirstText && what <= kResetText + kLastText) {
    text_.erase(what - kResetText);
  }
}

Rgb TerminalColours::palette(int index) const {
  const auto found = palette_.find(index);
  return found == palette_.end() ? usual_palette(index) : found->second;
}

Rgb TerminalColours::text(int number) const {
  if (const auto found = text_.find(number); found != text_.end()) return found->second;
  const bool is_background = number == 11 || number == 14 || number == 16;
  return is_background ? kBackground : kForeground;
}

std::string TerminalColours::repaint() const {
  std::string out;
  for (const auto& [index, colour] : palette_)
    out += "\x1b]4;" + std::to_string(index) + ";" + colour_text(colour) + "\x1b\\";
  for (const auto& [number, colour] : text_)
    out += "\x1b]" + std::to_string(number) + ";" + colour_text(colour) + "\x1b\\";
  return out;
}

std::string colour_text(const Rgb& colour) {
  char text[32];
  std::snprintf(text, sizeof text, "rgb:%02x%02x/%02x%02x/%02x%02x", colour.red, colour.red,
                colour.green, colour.green, colour.blue, colour.blue);
  return text;
}

}  // namespace sf::waypoint
