#include "cli/render/text_layout.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

TEST(TextLayoutTest, SizesAndDurationsHaveTheUnitThatFits) {
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1'500'000), "1.5 MB");
  EXPECT_EQ(duration_text(0), "0 ms");
  EXPECT_EQ(duration_text(1), "1 ms");
  EXPECT_EQ(duration_text(999'999), "1000 ms");
  EXPECT_EQ(duration_text(59'990'000), "59.9 s");
  EXPECT_EQ(duration_text(200'000'000), "3 min 20 s");
  EXPECT_EQ(duration_text(3'660'000'000), "1 h 1 min");
  EXPECT_EQ(time_text("2026-01-31T12:00:01.123456Z"), "2026-01-31 12:00:01");
}

TEST(TextLayoutTest, LineIsCutBetweenCharactersAndHasNoControls) {
  EXPECT_EQ(one_line("a\x1b[31m\nb\x7f"), "a [31m b ");
  EXPECT_EQ(one_line("a\u009b31m"), "a 31m");
  EXPECT_EQ(one_line("aäöü", 2), "aä...");
  EXPECT_EQ(one_line("aä", 3), "aä");
}

TEST(TextLayoutTest, ColumnsAlignByCharactersAndEndWithoutSpaces) {
  EXPECT_EQ(columns({{"A", "B"}, {"öö", "x"}, {"long", ""}}), "A     B\nöö    x\nlong\n");
  EXPECT_EQ(columns({}), "");
}

TEST(TextLayoutTest, FactsAreOnePerLineWithTheUnitOfTheirKey) {
  wire::Json facts = {{"bytes", 1500},
                      {"took_us", 8200},
                      {"created_at", "2026-01-31T12:00:01.123456Z"},
                      {"list", {"n1", "n2"}},
                      {"none", nullptr},
                      {"name", ""},
                      {"refs", wire::Json::array()},
                      {"outer", {{"inner", true}}}};
  EXPECT_EQ(facts_text(facts),
            "bytes        1.5 KB\n"
            "created_at   2026-01-31 12:00:01\n"
            "list         n1, n2\n"
            "name         -\n"
            "none         -\n"
            "outer.inner  true\n"
            "refs         -\n"
            "took_us      9 ms\n");
}

TEST(TextLayoutTest, ControlsAreMadeVisibleAndLinesStay) {
  EXPECT_EQ(visible("a\tb\nc\x1b[31m\r\x7f\n"), "a\tb\nc^[[31m^M^?\n");
  EXPECT_EQ(visible("\xC2\x9B"
                    "2J \xC3\xA4"),
            "^[[2J \xC3\xA4")
      << "a C1 control, which some terminals obey";
}

}  // namespace
}  // namespace sf::cli
