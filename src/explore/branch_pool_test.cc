#include "explore/branch_pool.h"

#include <gtest/gtest.h>

#include <thread>

namespace sf::explore {
namespace {

using Need = BranchPool::Need;

TEST(BranchPoolTest, ABranchAtTheStateIsUsedDirectly) {
  BranchPool pool("r-", 2);
  BranchPool::Lease first = pool.take("n1");
  EXPECT_EQ(first.branch, "r-1");
  EXPECT_EQ(first.need, Need::kFork);
  pool.give_back(first.branch, "n2");
  EXPECT_EQ(pool.take("n2").need, Need::kNothing);
}

TEST(BranchPoolTest, NewBranchesAreMadeBeforeOthersAreRestored) {
  BranchPool pool("r-", 2);
  pool.give_back(pool.take("n1").branch, "n2");
  BranchPool::Lease second = pool.take("n1");
  EXPECT_EQ(second.branch, "r-2");
  EXPECT_EQ(second.need, Need::kFork);
  pool.give_back(second.branch, "n3");
  BranchPool::Lease third = pool.take("n1");
  EXPECT_EQ(third.need, Need::kRestore);
  EXPECT_EQ(third.branch, "r-1") << "the least recently used branch";
}

TEST(BranchPoolTest, TakeWaitsUntilABranchIsFree) {
  BranchPool pool("r-", 1);
  BranchPool::Lease first = pool.take("n1");
  std::thread late([&] {
    BranchPool::Lease second = pool.take("n2");
    EXPECT_EQ(second.need, Need::kNothing);
    pool.give_back(second.branch, "n2");
  });
  pool.give_back(first.branch, "n2");
  late.join();
}

TEST(BranchPoolTest, ABranchOfUnknownStateIsRestored) {
  BranchPool pool("r-", 1);
  pool.adopt("r-1", "");
  EXPECT_EQ(pool.take("n1").need, Need::kRestore);
  pool.drop("r-1");
  EXPECT_EQ(pool.take("n1").need, Need::kFork);
}

}  // namespace
}  // namespace sf::explore
