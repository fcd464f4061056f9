#include "cli/daemon/typed_input.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

constexpr char kDetach = '\x1d';

TEST(TypedInputTest, KeysPassUntilTheDetachKey) {
  TypedInput input(kDetach);
  EXPECT_EQ(input.take("ls\r").keys, "ls\r");
  TypedInput::Taken taken = input.take(
      "ab\x1d"
      "cd");
  EXPECT_EQ(taken.keys, "ab");
  EXPECT_TRUE(taken.detach);
  EXPECT_EQ(taken.behind, 2U);
}

TEST(TypedInputTest, WithinABracketedPasteTheDetachKeyIsText) {
  TypedInput input(kDetach);
  const std::string paste = "\x1b[200~one\x1dtwo\x1b[201~";
  TypedInput::Taken taken = input.take(paste);
  EXPECT_EQ(taken.keys, paste);
  EXPECT_FALSE(taken.detach);
  EXPECT_FALSE(input.in_paste());
  EXPECT_TRUE(input.take("\x1d").detach);
}

TEST(TypedInputTest, MarksOfAPasteMayBeSplit) {
  const std::string paste = "\x1b[200~one\x1dtwo\x1b[201~";
  for (std::size_t cut = 1; cut < paste.size(); ++cut) {
    TypedInput input(kDetach);
    std::string keys = input.take(paste.substr(0, cut)).keys;
    TypedInput::Taken rest = input.take(paste.substr(cut));
    EXPECT_EQ(keys + rest.keys, paste) << cut;
    EXPECT_FALSE(rest.detach) << cut;
    EXPECT_FALSE(input.in_paste()) << cut;
  }
}

TEST(TypedInputTest, AMarkAfterAnInterruptedOneIsFound) {
  TypedInput input(kDetach);
  (void)input.take("\x1b[20\x1b[200~");
  EXPECT_TRUE(input.in_paste());
  (void)input.take("\x1b[201\x1b[201~");
  EXPECT_FALSE(input.in_paste());
}

TEST(TypedInputTest, PasteWithALostEndDoesNotDisableTheDetachKeyForever) {
  TypedInput input(kDetach);
  EXPECT_FALSE(input.take("\x1b[200~one\x1d").detach);
  input.give_up_paste();
  EXPECT_TRUE(input.take("\x1d").detach);
}

TEST(TypedInputTest, InputAfterAPasteIsSeparatedFromIt) {
  TypedInput input('\x1d');
  EXPECT_EQ(input.take("a\x1b[200~b").paste_end, 0U);
  EXPECT_EQ(input.take("c\x1b[20").paste_end, 0U);
  const TypedInput::Taken last = input.take("1~typed");
  EXPECT_EQ(last.paste_end, 2U);
  EXPECT_EQ(last.keys.substr(last.paste_end), "typed");
  EXPECT_EQ(input.take("more").paste_end, 0U);
}

}  // namespace
}  // namespace sf::cli
