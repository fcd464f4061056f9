#include "backends/shell_environment.h"

#include <gtest/gtest.h>

namespace sf::backends {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(ShellEnvironmentTest, VariablesHaveTheirValues) {
  EXPECT_EQ(
      exported_variables("declare -x HOME=\"/root\"\ndeclare -x EMPTY=\"\"\ndeclare -x UNSET\n"),
      (Variables{{"HOME", "\"/root\""}, {"EMPTY", "\"\""}, {"UNSET", ""}}));
}

TEST(ShellEnvironmentTest, AttributesDoNotHideAName) {
  EXPECT_EQ(exported_variables("declare -xr FIXED=\"1\"\n"), (Variables{{"FIXED", "\"1\""}}));
}

TEST(ShellEnvironmentTest, ValueMayHaveSeveralLinesAndEqualSigns) {
  EXPECT_EQ(exported_variables("declare -x A=\"x=1\ny=2\"\ndeclare -x B=\"b\"\n"),
            (Variables{{"A", "\"x=1\ny=2\""}, {"B", "\"b\""}}));
}

TEST(ShellEnvironmentTest, VariablesThatEveryCommandChangesAreOmitted) {
  EXPECT_EQ(exported_variables("declare -x PWD=\"/\"\ndeclare -x OLDPWD\ndeclare -x LINES=\"4\"\n"),
            Variables{});
}

}  // namespace
}  // namespace sf::backends
