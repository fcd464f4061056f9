#include "explore/tasks/docker_ignore.h"

#include <gtest/gtest.h>

namespace sf::explore {
namespace {

TEST(DockerIgnoreTest, PatternsMatchAsInDocker) {
  struct Case {
    const char* rules;
    const char* path;
    bool is_ignored;
  };
  const Case cases[] = {
      {"", "a", false},
      {"# a\n\n", "a", false},
      {"a", "a", true},
      {"a", "b/a", false},  // only at the top
      {"a", "a/below/it", true},
      {"/a/", "a/b", true},
      {"./b/../a", "a", true},
      {"*.log", "x.log", true},
      {"*.log", "sub/x.log", false},
      {"*/x.log", "sub/x.log", true},
      {"**/x.log", "x.log", true},
      {"**/x.log", "a/b/x.log", true},
      {"**/*.pyc", "a/b.pyc", true},
      {"a/**", "a", false},
      {"a/**", "a/b/c", true},
      {"a/**/z", "a/z", true},
      {"a/**/z", "a/b/c/z", true},
      {"temp?", "temp1", true},
      {"temp?", "temp", false},
      {"file[0-9]", "file7", true},
      {"*", ".hidden", true},
      {"  a \r", "a", true},
      {"*\n!keep", "keep", false},
      {"*\n!keep", "other", true},
      {"*\n!keep/this", "keep/this", false},
      {"*\n!keep/this", "keep/that", true},
      {"!keep\n*", "keep", true},  // the last pattern decides
      {"*.md\n!README*.md\nREADME-secret.md", "README-secret.md", true},
      {"*.md\n!README*.md\nREADME-secret.md", "README-x.md", false},
  };
  for (const Case& each : cases)
    EXPECT_EQ(IgnoreRules(each.rules).ignores(each.path), each.is_ignored)
        << each.rules << " of " << each.path;
}

}  // namespace
}  // namespace sf::explore
