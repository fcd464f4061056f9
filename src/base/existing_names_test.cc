#include "base/existing_names.h"

#include <gtest/gtest.h>

namespace sf {
namespace {

TEST(ExistingNamesTest, AtMostFiveNamesAreListed) {
  EXPECT_EQ(existing_names("sessions", {}), "there are no sessions");
  EXPECT_EQ(existing_names("branches", {"main"}), "branches: main");
  EXPECT_EQ(existing_names("sessions", {"a", "b", "c", "d", "e"}), "sessions: a, b, c, d, e");
  EXPECT_EQ(existing_names("sessions", {"a", "b", "c", "d", "e", "f"}),
            "sessions: a, b, c, d, e, ...");
}

}  // namespace
}  // namespace sf
