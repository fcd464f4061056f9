#include "comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::equivalence {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MaskTest, ThePidOfAJobJustStartedIsHidden) {
  EXPECT_EQ(mask("[1] 4711\n"), "[1] PID\n");
  EXPECT_EQ(mask("before\n[12] 9\nafter"), "before\n[12] PID\nafter");
}

TEST(MaskTest, PidsOfExistingProcessesAreNotHidden) {
  for (const char* text : {"[1]+  4711 Running                 sleep 100 &\n", "4711\n",
                           "pid 4711\n", "[1] 4711 x\n", "[a] 4711\n", "[1] \n", "[] 1\n"}) {
    EXPECT_EQ(mask(text), text);
  }
}

TEST(MaskTest, TheDateOfAnHttpAnswerIsHidden) {
  EXPECT_EQ(mask("HTTP/1.1 200 OK\nDate: Sun, 15 Nov 2026 22:00:00 GMT\n"),
            "HTTP/1.1 200 OK\nDate: NOW\n");
}

TEST(MaskTest, LineEndsAreKept) {
  for (const char* text : {"", "\n", "a", "a\n", "a\n\nb", "\n\n"}) EXPECT_EQ(mask(text), text);
}

TEST(DifferenceTest, EqualObservationsHaveNoDifference) {
  Observations seen = {{"pwd", "/w\n", 0}, {"sleep 1 &", "[1] 12\n", 0}};
  EXPECT_THAT(difference(seen, seen), IsEmpty());
  EXPECT_THAT(difference(seen, {{"pwd", "/w\n", 0}, {"sleep 1 &", "[1] 345\n", 0}}), IsEmpty());
}

TEST(DifferenceTest, OutputExitCodeAndNumberOfCommandsAllCount) {
  Observations wanted = {{"pwd", "/w\n", 0}};
  EXPECT_THAT(difference(wanted, {{"pwd", "/\n", 0}}), HasSubstr("| /w\n"));
  EXPECT_THAT(difference(wanted, {{"pwd", "/w\n", 1}}), HasSubstr("got, exit 1"));
  EXPECT_THAT(difference(wanted, {{"pwd", "/w", 0}}), HasSubstr("command: pwd"));
  EXPECT_THAT(difference(wanted, {}), HasSubstr("not run: pwd"));
  EXPECT_THAT(difference({}, wanted), HasSubstr("unexpected command: pwd"));
  EXPECT_THAT(difference(wanted, {{"ls", "/w\n", 0}}), HasSubstr("other command: ls"));
}

}  // namespace
}  // namespace sf::equivalence
