#include "cli_full/progress_line.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

TEST(ProgressLineTest, AStepIsOneShortLine) {
  EXPECT_EQ(progress_text({"unpacking layer 2 of 5", 40, 100}), "unpacking layer 2 of 5: 40%");
  EXPECT_EQ(progress_text({"waiting"}), "waiting");
  EXPECT_EQ(progress_text({"reading", 7, 5}), "reading: 100%");
  EXPECT_EQ(progress_text({"a\nb\x1b[2J"}), "a b [2J");
  EXPECT_LT(progress_text({std::string(1000, 'x'), 1, 2}).size(), 100U);
}

}  // namespace
}  // namespace sf::cli
