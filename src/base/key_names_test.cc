#include "base/key_names.h"

#include <gtest/gtest.h>

namespace sf {
namespace {

Key key(KeyCode code, std::string character = "", int number = 0) {
  return {code, std::move(character), number};
}

TEST(KeyNamesTest, KeysAreFoundByTheNamesOfTmuxAndOfOtherSystems) {
  const std::pair<const char*, KeyCode> names[] = {{"Enter", KeyCode::kEnter},
                                                   {"Return", KeyCode::kEnter},
                                                   {"Tab", KeyCode::kTab},
                                                   {"BTab", KeyCode::kBackTab},
                                                   {"Escape", KeyCode::kEscape},
                                                   {"Esc", KeyCode::kEscape},
                                                   {"BSpace", KeyCode::kBackspace},
                                                   {"Backspace", KeyCode::kBackspace},
                                                   {"Up", KeyCode::kUp},
                                                   {"ArrowDown", KeyCode::kDown},
                                                   {"Left", KeyCode::kLeft},
                                                   {"Right", KeyCode::kRight},
                                                   {"Home", KeyCode::kHome},
                                                   {"End", KeyCode::kEnd},
                                                   {"IC", KeyCode::kInsert},
                                                   {"Insert", KeyCode::kInsert},
                                                   {"DC", KeyCode::kDelete},
                                                   {"Delete", KeyCode::kDelete},
                                                   {"PPage", KeyCode::kPageUp},
                                                   {"PgUp", KeyCode::kPageUp},
                                                   {"PageUp", KeyCode::kPageUp},
                                                   {"NPage", KeyCode::kPageDown},
                                                   {"PageDown", KeyCode::kPageDown},
                                                   {"PgDn", KeyCode::kPageDown}};
  for (const auto& [name, code] : names) EXPECT_EQ(find_key(name), key(code)) << name;
  EXPECT_EQ(find_key("ESCAPE"), key(KeyCode::kEscape));
  EXPECT_EQ(find_key("Space"), key(KeyCode::kCharacter, " "));
  EXPECT_EQ(find_key("F1"), key(KeyCode::kFunction, "", 1));
  EXPECT_EQ(find_key("f20"), key(KeyCode::kFunction, "", 20));
  EXPECT_EQ(find_key("KP7"), key(KeyCode::kKeypad, "7"));
  EXPECT_EQ(find_key("KP*"), key(KeyCode::kKeypad, "*"));
  EXPECT_EQ(find_key("KPEnter"), key(KeyCode::kKeypad, "\r"));
}

TEST(KeyNamesTest, ModifiersComeInAnyOrder) {
  Key wanted = key(KeyCode::kLeft);
  wanted.control = wanted.alt = true;
  for (const char* name : {"C-M-Left", "M-C-Left", "c-m-left", "Ctrl-Alt-Left", "Control+Alt+Left"})
    EXPECT_EQ(find_key(name), wanted) << name;
  wanted = key(KeyCode::kUp);
  wanted.shift = true;
  EXPECT_EQ(find_key("S-Up"), wanted);
  wanted = key(KeyCode::kCharacter, "x");
  wanted.control = true;
  EXPECT_EQ(find_key("C-x"), wanted);
  EXPECT_EQ(find_key("^x"), wanted);
  wanted.alt = true;
  EXPECT_EQ(find_key("M-^x"), wanted);
}

TEST(KeyNamesTest, ASingleCharacterIsACaseSensitiveKey) {
  for (const char* one : {"x", "X", "-", "^", "é", "日"})
    EXPECT_EQ(find_key(one), key(KeyCode::kCharacter, one)) << one;
  Key wanted = key(KeyCode::kCharacter, "X");
  wanted.alt = true;
  EXPECT_EQ(find_key("M-X"), wanted);
}

TEST(KeyNamesTest, OtherWordsAreNotKeys) {
  for (const char* word : {"", "hello", "C-", "C-up-", "^^^^a b", "M-", "M-hello", "F0", "F21",
                           "F01", "KP", "KP10", "\x03", "\xff", "ab"})
    EXPECT_FALSE(find_key(word)) << word;
}

TEST(KeyNamesTest, AnErrorNamesTheNearestKeysAndTheWayToTypeText) {
  auto unknown = parse_key("C-Lfet");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(unknown.error().message.find("C-Left"), std::string::npos) << unknown.error().message;
  EXPECT_NE(unknown.error().describe().find("--literal"), std::string::npos);
}

TEST(KeyNamesTest, WordsThatAreNotKeysAreText) {
  auto input = input_from_words({"vi notes", "Enter", ":wq", "Ada", "", "C-c"});
  ASSERT_TRUE(input.ok());
  using enum InputEvent::Kind;
  EXPECT_EQ(*input, (InputEvents{{kText, "vi notes", {}},
                                 {kKey, "Enter", {}},
                                 {kText, ":wq", {}},
                                 {kText, "Ada", {}},
                                 {kKey, "C-c", {}}}));
  EXPECT_EQ(describe(*input), "vi notes<Enter>:wqAda<C-c>");
}

TEST(KeyNamesTest, AWordThatIsNearlyAKeyIsAnError) {
  for (const char* word :
       {"C-Lft", "Entr", "PgDwn", "F21", "KP10", "M-hello", "S-", "Escpae", "Ctrl-Foo"}) {
    const bool is_text = std::string_view(word) == "S-";
    EXPECT_EQ(input_from_words({"ls", word}).ok(), is_text) << word;
  }
  for (const char* word : {"Yes", "No", "Bob", "README.md", "echo", "endif", "C - D", "Hello world",
                           "S-expressions are lists", "GET / HTTP/1.0", "entr", "-x", "~"})
    EXPECT_TRUE(input_from_words({word}).ok()) << word;
}

TEST(KeyNamesTest, AVeryLongWordIsText) {
  std::string word;
  for (int i = 0; i < 100'000; ++i) word += "M-";
  EXPECT_TRUE(input_from_words({word}).ok());
  EXPECT_TRUE(find_key(word + "x").has_value());
}

}  // namespace
}  // namespace sf
