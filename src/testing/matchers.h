// ASSERT_OK and friends: a failed Result in a test prints its code, message and hint.
// The namespace is `test`, because `sf::testing` would hide GoogleTest's own `testing` inside sf.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "base/result.h"

namespace sf::test {

template <typename T>
::testing::AssertionResult is_ok(const Result<T>& result) {
  if (result.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << to_string(result.error().code) << ": " << result.error().describe();
}

}  // namespace sf::test

#define ASSERT_OK(expr) ASSERT_TRUE(::sf::test::is_ok(expr)) << "from " #expr
#define EXPECT_OK(expr) EXPECT_TRUE(::sf::test::is_ok(expr)) << "from " #expr

// Declares `lhs` from the value of `expr`, or ends the test with its error.
#define ASSERT_OK_AND_ASSIGN(lhs, expr) \
  ASSERT_OK_AND_ASSIGN_INNER(SF_CONCAT(sf_asserted_, __LINE__), lhs, expr)
#define ASSERT_OK_AND_ASSIGN_INNER(tmp, lhs, expr)      \
  auto tmp = (expr);                                    \
  ASSERT_TRUE(::sf::test::is_ok(tmp)) << "from " #expr; \
  lhs = std::move(tmp).value()
