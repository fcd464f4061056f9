#include "terminal/input_encoding.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

constexpr WindowSize kKeyScreen{24, 80};

TerminalModes with(std::initializer_list<int> dec) {
  TerminalModes modes;
  for (const int mode : dec) modes.dec[mode] = true;
  return modes;
}

std::string sent(const std::string& name, const TerminalModes& modes = {}) {
  auto bytes = encode_input({{InputEvent::Kind::kKey, name, {}}}, modes, kKeyScreen);
  return bytes.ok() ? *bytes : "error: " + bytes.error().describe();
}

TEST(InputEncodingTest, CursorKeysFollowTheApplicationMode) {
  const TerminalModes application = with({1});
  EXPECT_EQ(sent("Down"), "\x1b[B");
  EXPECT_EQ(sent("Down", application), "\x1bOB");
  EXPECT_EQ(sent("Home"), "\x1b[H");
  EXPECT_EQ(sent("End", application), "\x1bOF");
  // With a modifier, the mode has no effect.
  EXPECT_EQ(sent("C-Left", application), "\x1b[1;5D");
  EXPECT_EQ(sent("S-Up"), "\x1b[1;2A");
  EXPECT_EQ(sent("M-Up"), "\x1b[1;3A");
  EXPECT_EQ(sent("C-M-S-Right"), "\x1b[1;8C");
  EXPECT_EQ(sent("PageUp", application), "\x1b[5~");
  EXPECT_EQ(sent("C-PgDn"), "\x1b[6;5~");
}

TEST(InputEncodingTest, KeypadKeysFollowTheKeypadMode) {
  TerminalModes application;
  application.is_keypad = true;
  EXPECT_EQ(sent("KP7"), "7");
  EXPECT_EQ(sent("KP7", application), "\x1bOw");
  EXPECT_EQ(sent("KP7", with({66})), "\x1bOw");
  EXPECT_EQ(sent("KP+", application), "\x1bOk");
  EXPECT_EQ(sent("KPEnter"), "\r");
  EXPECT_EQ(sent("KPEnter", application), "\x1bOM");
}

TEST(InputEncodingTest, OtherKeysSendWhatXtermSends) {
  const std::pair<const char*, std::string> keys[] = {
      {"Enter", "\r"},          {"Tab", "\t"},         {"BTab", "\x1b[Z"},
      {"S-Tab", "\x1b[Z"},      {"Escape", "\x1b"},    {"Esc", "\x1b"},
      {"BSpace", "\x7f"},       {"Backspace", "\x7f"}, {"C-BSpace", "\b"},
      {"M-BSpace", "\x1b\x7f"}, {"Insert", "\x1b[2~"}, {"DC", "\x1b[3~"},
      {"F1", "\x1bOP"},         {"F4", "\x1bOS"},      {"F5", "\x1b[15~"},
      {"F6", "\x1b[17~"},       {"F12", "\x1b[24~"},   {"F13", "\x1b[25~"},
      {"F20", "\x1b[34~"},      {"S-F1", "\x1b[1;2P"}, {"C-F5", "\x1b[15;5~"},
      {"Space", " "},           {"M-Enter", "\x1b\r"}, {"é", "é"}};
  for (const auto& [name, bytes] : keys) EXPECT_EQ(sent(name), bytes) << name;
  TerminalModes newline;
  newline.is_newline = true;
  EXPECT_EQ(sent("Enter", newline), "\r\n");
}

TEST(InputEncodingTest, ControlKeysSendControlCharacters) {
  const std::pair<const char*, std::string> keys[] = {
      {"C-c", "\x03"},  {"C-C", "\x03"}, {"^D", "\x04"},        {"C-i", "\t"},
      {"C-m", "\r"},    {"C-[", "\x1b"}, {"C-?", "\x7f"},       {"C-_", "\x1f"},
      {"C-/", "\x1f"},  {"C-3", "\x1b"}, {"C-1", "1"},          {"M-x", "\x1bx"},
      {"M-X", "\x1bX"}, {"S-x", "X"},    {"C-M-x", "\x1b\x18"}, {"M-^c", "\x1b\x03"}};
  for (const auto& [name, bytes] : keys) EXPECT_EQ(sent(name), bytes) << name;
  EXPECT_EQ(sent("C-Space"), std::string(1, '\0'));
  EXPECT_EQ(sent("C-2"), std::string(1, '\0'));
}

TEST(InputEncodingTest, UnknownKeyEncodesNothing) {
  auto bytes = encode_input(
      {{InputEvent::Kind::kText, "rm", {}}, {InputEvent::Kind::kKey, "Entr", {}}}, {}, kKeyScreen);
  ASSERT_FALSE(bytes.ok());
  EXPECT_NE(bytes.error().message.find("Enter"), std::string::npos);
}

TEST(InputEncodingTest, PasteHasMarksIfTheProgramAskedForThem) {
  EXPECT_EQ(encode_paste("a\nb\r\nc\td", {}), "a\rb\rc\td");
  EXPECT_EQ(encode_paste("a\nb", with({2004})), "\x1b[200~a\rb\x1b[201~");
  EXPECT_EQ(encode_paste("x\x1b[201~\x03y\x7f", with({2004})), "\x1b[200~x[201~y\x1b[201~");
}

std::string mouse(const MouseEvent& event, std::initializer_list<int> dec) {
  auto bytes = encode_mouse(event, with(dec), kKeyScreen);
  return bytes.ok() ? *bytes : "error: " + bytes.error().message;
}

TEST(InputEncodingTest, MouseReportsHaveTheFormThatTheProgramAskedFor) {
  using enum MouseEvent::Action;
  using enum MouseEvent::Button;
  MouseEvent click{kClick, kLeft, 4, 9};
  EXPECT_EQ(mouse(click, {1000, 1006}), "\x1b[<0;10;5M\x1b[<0;10;5m");
  EXPECT_EQ(mouse(click, {1000}), "\x1b[M *%\x1b[M#*%");
  EXPECT_EQ(mouse(click, {1000, 1015}), "\x1b[32;10;5M\x1b[35;10;5M");
  EXPECT_EQ(mouse(click, {9}), "\x1b[M *%");
  EXPECT_EQ(mouse({kPress, kRight, 0, 0}, {1002, 1006}), "\x1b[<2;1;1M");
  EXPECT_EQ(mouse({kRelease, kRight, 0, 0}, {1002, 1006}), "\x1b[<2;1;1m");
  EXPECT_EQ(mouse({kMove, kLeft, 1, 1}, {1002, 1006}), "\x1b[<32;2;2M");
  EXPECT_EQ(mouse({kMove, kNone, 1, 1}, {1003, 1006}), "\x1b[<35;2;2M");
  EXPECT_EQ(mouse({kWheelUp, kNone, 0, 0}, {1000, 1006}), "\x1b[<64;1;1M");
  EXPECT_EQ(mouse({kWheelDown, kNone, 0, 0, true, true, true}, {1000, 1006}), "\x1b[<93;1;1M");
  EXPECT_EQ(mouse({kPress, kLeft, 0, 79}, {1000, 1005}), "\x1b[M p!");
}

TEST(InputEncodingTest, MouseEventIsRefusedIfTheProgramDidNotAskForIt) {
  using enum MouseEvent::Action;
  using enum MouseEvent::Button;
  for (const std::string& answer :
       {mouse({kClick, kLeft, 0, 0}, {}), mouse({kClick, kLeft, 24, 0}, {1000, 1006}),
        mouse({kClick, kLeft, 0, 80}, {1000, 1006}), mouse({kMove, kNone, 0, 0}, {1000, 1006}),
        mouse({kMove, kNone, 0, 0}, {1002, 1006}), mouse({kRelease, kLeft, 0, 0}, {9}),
        mouse({kPress, kNone, 0, 0}, {1000, 1006})})
    EXPECT_TRUE(answer.starts_with("error: ")) << answer;
}

}  // namespace
}  // namespace sf::waypoint
