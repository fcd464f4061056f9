// A snapshot of branch main, and the state that a restore must bring back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::test {

struct Kept {
  control::SnapshotReport report;
  std::string state;
};

inline Kept take(SessionFixture& w, const control::SnapshotRequest& request = {}) {
  auto report = w.session().snapshot(control::BranchId("main"), request);
  EXPECT_OK(report);
  return {report ? *report : control::SnapshotReport(), w.dump("main")};
}

// Checks the state after a restore and in two forks.
inline void expect_back(SessionFixture& w, const Kept& kept) {
  ASSERT_OK(w.back("main", kept.report.node));
  EXPECT_EQ(w.dump("main"), kept.state);
  const std::string node = kept.report.node.value();
  ASSERT_OK_AND_ASSIGN(control::ForkReport forks,
                       w.session().fork(control::BranchId("main"), node, {.count = 2}));
  for (const Result<control::BranchId>& branch : forks.branches) {
    ASSERT_OK(branch);
    EXPECT_EQ(w.dump(branch->value()), kept.state);
    ASSERT_OK(w.session().end_branch(*branch));
  }
  EXPECT_THAT(w.broken_rules(), ::testing::IsEmpty());
}

inline control::BranchHandle handle(SessionFixture& w) {
  return w.session().read([](const control::BranchTree& tree) {
    return tree.find_branch(control::BranchId("main"))->handle;
  });
}

}  // namespace sf::test
