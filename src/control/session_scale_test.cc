// Bookkeeping must not grow with the tree: the budget is 0.3 ms per operation at 100,000 nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::control {
namespace {

using test::SessionFixture;

const BranchId kMain{"main"};
constexpr int kNodes = 100'000;
constexpr int kBatches = 4;
constexpr int kBatch = 500;
constexpr microseconds kBudget{300};

class SessionScaleTest : public ::testing::Test {
 protected:
  // Makes kNodes nodes; every `width` snapshots the branch is restored to the root.
  void grow(SessionFixture& w, int width) {
    for (int i = 1; i < kNodes; ++i) {
      ASSERT_OK(w.run("main", "draw a"));
      ASSERT_OK(w.session().snapshot(kMain));
      if (i % width == 0) {
        ASSERT_OK(w.session().restore(kMain, "n0"));
      }
    }
  }
  // Takes the fastest of several batches, because other programs use the machine too. Includes the
  // time of the fakes.
  template <typename Operation>
  void expect_cheap(const std::string& what, Operation operation) {
    microseconds best = kBudget * 1000;
    for (int batch = 0; batch < kBatches; ++batch) {
      Stopwatch watch;
      for (int i = 0; i < kBatch; ++i) {
        ASSERT_OK(operation(batch * kBatch + i)) << what;
      }
      best = std::min(best, watch.elapsed() / kBatch);
    }
    RecordProperty(what, static_cast<int>(best.count()));
    EXPECT_LE(best, kBudget) << what;
  }
  static std::string node(int number) { return "n" + std::to_string(number); }
};

TEST_F(SessionScaleTest, OperationsOnAWideTreeStayCheap) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_NO_FATAL_FAILURE(grow(w, 10));
  SessionManager& s = w.session();
  expect_cheap("exec_command", [&](int) { return w.run("main", "draw a"); });
  expect_cheap("snapshot", [&](int) { return s.snapshot(kMain); });
  expect_cheap("restore", [&](int i) { return s.restore(kMain, node(i * 40)); });
  expect_cheap("fork", [&](int i) -> Result<CleanupReport> {
    SF_TRY_ASSIGN(ForkReport forks, s.fork(kMain, node(i * 30), {}));
    return s.end_branch(forks.branches.front().value());
  });
  ASSERT_OK(s.restore(kMain, "n0"));
  expect_cheap("cleanup", [&](int i) { return s.cleanup(kMain, node(10 + i * 10), Force::kNo); });
  expect_cheap("note", [&](int) { return s.set_note(kMain, "HEAD", "key", "value"); });
}

TEST_F(SessionScaleTest, SnapshotsAtTheEndOfALongVirtualChainStayCheap) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_NO_FATAL_FAILURE(grow(w, kNodes));
  SessionManager& s = w.session();
  expect_cheap("snapshot", [&](int) { return s.snapshot(kMain); });
  expect_cheap("HEAD~20", [&](int) { return s.resolve_ref(kMain, "HEAD~20"); });
}

}  // namespace
}  // namespace sf::control
