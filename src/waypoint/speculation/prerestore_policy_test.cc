#include "waypoint/speculation/prerestore_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace sf::waypoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Stage = PrerestorePolicy::Stage;

constexpr int kFullTrust = 8;

// Makes all planned trees; returns their checkpoints in order.
std::vector<std::string> make_all(PrerestorePolicy& plan) {
  std::vector<std::string> all;
  while (auto next = plan.begin(plan.turn())) {
    plan.made(*next);
    all.push_back(*next);
  }
  return all;
}

TEST(PrerestorePolicyTest, MostRecentlyExpectedTreeIsMadeFirst) {
  PrerestorePolicy plan(3);
  for (const char* each : {"a", "b", "c", "a"}) EXPECT_THAT(plan.expect(each), IsEmpty());
  EXPECT_THAT(make_all(plan), ElementsAre("a", "c", "b"));
  EXPECT_THAT(plan.ready(), ElementsAre("a", "c", "b"));
}

TEST(PrerestorePolicyTest, LeastRecentlyExpectedTreeIsDropped) {
  PrerestorePolicy plan(2);
  plan.expect("a");
  plan.expect("b");
  make_all(plan);
  EXPECT_THAT(plan.expect("c"), ElementsAre("a"));
  EXPECT_THAT(make_all(plan), ElementsAre("c"));
  EXPECT_THAT(plan.ready(), ElementsAre("c", "b"));
}

TEST(PrerestorePolicyTest, SurplusTreeInProgressIsDroppedWhenItIsReady) {
  PrerestorePolicy plan(1);
  plan.expect("a");
  EXPECT_EQ(plan.begin(plan.turn()), "a");
  EXPECT_THAT(plan.expect("b"), IsEmpty());
  EXPECT_EQ(plan.stage("a"), Stage::kComing);
  EXPECT_THAT(plan.made("a"), ElementsAre("a"));
  EXPECT_EQ(plan.stage("a"), std::nullopt);
  EXPECT_EQ(plan.stage("b"), Stage::kWanted);
}

TEST(PrerestorePolicyTest, PendingPrerestoreIsKeptIfRequestedAgain) {
  PrerestorePolicy plan(1);
  plan.expect("a");
  plan.begin(plan.turn());
  plan.expect("b");
  EXPECT_THAT(plan.expect("a"), ElementsAre("b"));
  EXPECT_THAT(plan.made("a"), IsEmpty());
  EXPECT_THAT(plan.ready(), ElementsAre("a"));
}

TEST(PrerestorePolicyTest, NoTreeIsBegunAfterANewExpectation) {
  PrerestorePolicy plan(2);
  plan.expect("a");
  const long turn = plan.turn();
  plan.expect("b");
  EXPECT_EQ(plan.begin(turn), std::nullopt);
  EXPECT_EQ(plan.begin(plan.turn()), "b");
}

TEST(PrerestorePolicyTest, TakenTreeIsMadeAgainOnlyIfExpectedAgain) {
  PrerestorePolicy plan(2);
  plan.expect("a");
  make_all(plan);
  plan.take("a");
  EXPECT_THAT(make_all(plan), IsEmpty());
  plan.expect("a");
  EXPECT_THAT(make_all(plan), ElementsAre("a"));
}

TEST(PrerestorePolicyTest, LimitOfZeroMakesNoTree) {
  PrerestorePolicy plan(0);
  EXPECT_THAT(plan.expect("a"), ElementsAre("a"));
  EXPECT_THAT(make_all(plan), IsEmpty());
}

TEST(PrerestorePolicyTest, EightUnusedTreesStopPrerestoresUntilTheNextRestore) {
  PrerestorePolicy plan(1);
  for (int i = 0; i <= kFullTrust; ++i) {  // each tree but the first replaces another
    plan.expect(std::to_string(i));
    if (i < kFullTrust) {
      EXPECT_THAT(make_all(plan), ElementsAre(std::to_string(i)));
    }
  }
  EXPECT_THAT(make_all(plan), IsEmpty());
  plan.take("unknown");
  EXPECT_THAT(make_all(plan), IsEmpty());
  plan.take(std::to_string(kFullTrust));  // the planned tree
  plan.expect("next");
  EXPECT_THAT(make_all(plan), ElementsAre("next"));
}

TEST(PrerestorePolicyTest, FailedOrForgottenTreeCountsAsUnused) {
  PrerestorePolicy plan(2);
  for (int i = 0; i < kFullTrust; ++i) {
    plan.expect("a");
    ASSERT_EQ(plan.begin(plan.turn()), "a");
    if (i % 2 == 0) {
      plan.failed("a");
    } else {
      plan.made("a");
      plan.forget("a");
    }
    EXPECT_EQ(plan.stage("a"), std::nullopt);
  }
  plan.expect("a");
  EXPECT_EQ(plan.begin(plan.turn()), std::nullopt);
}

TEST(PrerestorePolicyTest, DroppingAPlannedTreeCostsNoTrust) {
  PrerestorePolicy plan(1);
  for (int i = 0; i < 2 * kFullTrust; ++i) plan.expect(std::to_string(i));
  EXPECT_THAT(make_all(plan), ElementsAre(std::to_string(2 * kFullTrust - 1)));
}

TEST(PrerestorePolicyTest, RefusedTreeIsNotRetriedWhileItIsAmongTheMostRecent) {
  PrerestorePolicy plan(2);
  plan.expect("a");
  for (int i = 0; i < 2 * kFullTrust; ++i) {
    if (auto next = plan.begin(plan.turn())) {
      ASSERT_EQ(i, 0);
      plan.refused(*next);
    }
    plan.take("a");
    EXPECT_THAT(plan.expect("a"), IsEmpty());
    EXPECT_EQ(plan.stage("a"), Stage::kRefused);
  }
  plan.expect("b");
  EXPECT_THAT(make_all(plan), ElementsAre("b"));
  EXPECT_THAT(plan.expect("c"), ElementsAre("a"));
  plan.expect("a");
  EXPECT_EQ(plan.begin(plan.turn()), "a");
}

// Compares the policy with a simple model under random calls: ready and planned trees are the most
// recently expected ones; nothing that was dropped, taken or forgotten returns by itself; and a
// planned tree is begun unless eight trees were unused.
RC_GTEST_PROP(PrerestorePolicyTest, PolicyKeepsItsLimitItsOrderAndItsTrust, ()) {
  const auto most = *rc::gen::inRange<std::size_t>(0, 4);
  PrerestorePolicy plan(most);
  std::vector<std::string> expected;  // not dropped or taken since; most recent first
  std::set<std::string> ready;
  std::set<std::string> refused;
  std::string coming;
  int in_vain = 0;

  auto gone = [&](const std::string& checkpoint) {
    std::erase(expected, checkpoint);
    refused.erase(checkpoint);
    if (ready.erase(checkpoint) > 0) ++in_vain;
  };
  auto all_gone = [&](const PrerestorePolicy::Checkpoints& dropped) {
    for (const std::string& each : dropped) {
      auto location = std::ranges::find(expected, each) - expected.begin();
      RC_ASSERT(location < std::ssize(expected));
      RC_ASSERT(static_cast<std::size_t>(location) >= most);
      gone(each);
    }
  };
  for (int step = 0; step < 120; ++step) {
    const std::string checkpoint(1, static_cast<char>('a' + *rc::gen::inRange(0, 6)));
    // Take trees rarely, else trust would never reach 0.
    switch (*rc::gen::weightedElement<int>({{4, 0}, {4, 1}, {4, 2}, {1, 3}, {1, 4}})) {
      case 0: {
        std::erase(expected, checkpoint);
        expected.insert(expected.begin(), checkpoint);
        all_gone(plan.expect(checkpoint));
        break;
      }
      case 1: {
        if (!coming.empty()) break;  // one at a time
        auto next = plan.begin(plan.turn());
        RC_ASSERT(next.has_value() ==
                  (in_vain < kFullTrust && ready.size() + refused.size() < expected.size()));
        if (!next) break;
        RC_ASSERT(std::ranges::count(expected, *next) == 1 && !ready.contains(*next) &&
                  !refused.contains(*next));
        coming = *next;
        break;
      }
      case 2: {
        if (coming.empty()) break;
        const std::string there = std::exchange(coming, "");
        const int end = *rc::gen::inRange(0, 4);
        if (end == 0) {
          refused.insert(there);
          all_gone(plan.refused(there));
        } else if (end < 3) {
          ready.insert(there);
          all_gone(plan.made(there));
        } else {
          plan.failed(there);
          std::erase(expected, there);
          ++in_vain;
        }
        break;
      }
      case 3:
        if (checkpoint == coming) break;
        plan.take(checkpoint);
        if (refused.contains(checkpoint)) break;
        if (std::ranges::count(expected, checkpoint) == 1) in_vain = 0;
        std::erase(expected, checkpoint);
        ready.erase(checkpoint);
        break;
      default:
        if (checkpoint == coming) break;
        plan.forget(checkpoint);
        gone(checkpoint);
    }
    const auto standing = plan.ready();
    RC_ASSERT(std::set(standing.begin(), standing.end()) == ready);
    RC_ASSERT(expected.size() <= most + (coming.empty() ? 0 : 1));
    for (char each = 'a'; each < 'g'; ++each) {
      const std::string name(1, each);
      RC_ASSERT(plan.stage(name).has_value() == (std::ranges::count(expected, name) == 1));
    }
  }
}

}  // namespace
}  // namespace sf::waypoint
