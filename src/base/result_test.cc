#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/scope_exit.h"

namespace sf {
namespace {

constexpr ErrorCode kAllCodes[] = {ErrorCode::kInvalidArgument,
                                   ErrorCode::kNotFound,
                                   ErrorCode::kBusy,
                                   ErrorCode::kTimedOut,
                                   ErrorCode::kUnsupported,
                                   ErrorCode::kCorrupt,
                                   ErrorCode::kSessionLost,
                                   ErrorCode::kNoSpace,
                                   ErrorCode::kDiverged,
                                   ErrorCode::kOs};

Result<int> half_of(int number) {
  if (number % 2 != 0) return invalid(std::to_string(number) + " is odd");
  return number / 2;
}

Result<int> quarter_of(int number) {
  SF_TRY_ASSIGN(int half, half_of(number));
  SF_TRY_ASSIGN(int quarter, half_of(half));
  return quarter;
}

Status check_even(int number, bool& reached_the_end) {
  SF_TRY(half_of(number));
  reached_the_end = true;
  return Ok{};
}

TEST(ResultTest, HoldsAValueOrAnError) {
  Result<int> good = half_of(4);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 2);
  Result<int> bad = half_of(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(bad.error().message, "3 is odd");
}

TEST(ResultTest, AMoveOnlyValueCanBeTakenOut) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(ResultTest, AValueOfAnAggregateTypeIsHeld) {
  struct Pair {
    int first;
    int second;
  };
  Result<Pair> result(Pair{1, 2});
  EXPECT_EQ(result->second, 2);
}

TEST(ResultTest, TryAssignStopsAtTheFirstError) {
  EXPECT_EQ(quarter_of(8).value(), 2);
  EXPECT_EQ(quarter_of(6).error().message, "3 is odd");
  EXPECT_EQ(quarter_of(5).error().message, "5 is odd");
}

TEST(ResultTest, TryReturnsTheErrorWithoutRunningLaterStatements) {
  bool reached = false;
  EXPECT_FALSE(check_even(1, reached).ok());
  EXPECT_FALSE(reached);
  EXPECT_TRUE(check_even(2, reached).ok());
  EXPECT_TRUE(reached);
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorAborts) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH((void)half_of(1).value(), "broken invariant");
  EXPECT_DEATH((void)half_of(2).error(), "broken invariant");
}

TEST(ErrorTest, WhileDoingPutsTheOutermostStepFirst) {
  Error error = invalid("is odd").while_doing("reading 3").while_doing("opening");
  EXPECT_EQ(error.message, "opening: reading 3: is odd");
}

TEST(ErrorTest, TheInnermostHintWins) {
  EXPECT_EQ(invalid("x", "first").with_hint("second").hint, "first");
  EXPECT_EQ(invalid("x").with_hint("second").hint, "second");
}

TEST(ErrorTest, DescribeShowsTheHintOnlyWhenThereIsOne) {
  EXPECT_EQ(invalid("x").describe(), "x");
  EXPECT_EQ(invalid("x", "do y").describe(), "x (do y)");
}

TEST(ErrorTest, EveryCodeHasAUniqueNameThatMapsBackToIt) {
  std::set<std::string_view> names;
  for (ErrorCode code : kAllCodes) {
    EXPECT_EQ(error_code_from(to_string(code)), code);
    names.insert(to_string(code));
  }
  EXPECT_EQ(names.size(), std::size(kAllCodes));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(error_code_from("unknown"), std::nullopt);
  EXPECT_EQ(error_code_from(""), std::nullopt);
}

TEST(ScopeExitTest, RunsUnlessDismissed) {
  int runs = 0;
  {
    ScopeExit undo([&] { ++runs; });
  }
  EXPECT_EQ(runs, 1);
  {
    ScopeExit undo([&] { ++runs; });
    undo.dismiss();
  }
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace sf
