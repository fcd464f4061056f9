// Policies, the cost model, reasons for a physical node, and the final choice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "control/cost_model.h"
#include "control/fixed_policies.h"
#include "control/policy_names.h"
#include "control/random_sources.h"
#include "control/smart_decider.h"
#include "control/snapshot_choice.h"
#include "testing/matchers.h"

namespace sf::control {
namespace {

using ::testing::HasSubstr;
using Kind = Materialization;

constexpr std::uint64_t kMib = 1ULL << 20U;

CostSample sample(std::uint64_t mib, double us) {
  return {mib * kMib, microseconds(static_cast<std::int64_t>(us))};
}

TEST(SmartDeciderTest, NodeIsPhysicalOnceASnapshotCostsNoMoreThanTheReplay) {
  SmartDecider smart(CostModel({.alpha_us_per_mib = 100, .beta_us = 5000}));
  SnapshotFacts facts{.resident_memory = 50 * kMib};  // C_phys = 10 ms
  facts.replay_cost = microseconds(9999);
  EXPECT_EQ(smart.decide(facts), Materialization::kVirtual);
  facts.replay_cost = microseconds(10000);
  EXPECT_EQ(smart.decide(facts), Materialization::kPhysical);
}

TEST(SmartDeciderTest, MoreMemoryKeepsANodeVirtualLonger) {
  SmartDecider smart(CostModel({.alpha_us_per_mib = 100, .beta_us = 5000}));
  SnapshotFacts facts{.resident_memory = 10 * kMib, .replay_cost = milliseconds(20)};
  EXPECT_EQ(smart.decide(facts), Materialization::kPhysical);
  facts.resident_memory = 1000 * kMib;
  EXPECT_EQ(smart.decide(facts), Materialization::kVirtual);
}

TEST(SmartDeciderTest, MeasuredCostsChangeTheDecision) {
  SmartDecider smart(CostModel({.alpha_us_per_mib = 0, .beta_us = 1'000'000}));
  SnapshotFacts facts{.resident_memory = 10 * kMib, .replay_cost = milliseconds(20)};
  EXPECT_EQ(smart.decide(facts), Materialization::kVirtual);
  for (int i = 0; i < 5; ++i) smart.learn(sample(10, 4000));
  EXPECT_EQ(smart.decide(facts), Materialization::kPhysical);
}

TEST(CostModelTest, ModelWithoutSamplesEqualsThePrior) {
  CostLine prior{.alpha_us_per_mib = 7, .beta_us = 70};
  EXPECT_EQ(CostModel(prior).line(), prior);
}

TEST(CostModelTest, FitFindsTheLineUnderNoise) {
  CostModel model;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 500);
  for (std::uint64_t i = 0; i < 60; ++i)
    model.add(sample(10 + 20 * i, 8000 + 120 * static_cast<double>(10 + 20 * i) + noise(random)));
  EXPECT_NEAR(model.line().alpha_us_per_mib, 120, 3);
  EXPECT_NEAR(model.line().beta_us, 8000, 1000);
}

TEST(CostModelTest, FewHugeOutliersHaveLittleInfluence) {
  CostModel model;
  for (std::uint64_t i = 0; i < 60; ++i) {
    double exact = 8000 + 120 * static_cast<double>(10 + 20 * i);
    model.add(sample(10 + 20 * i, i % 6 == 0 ? exact * 20 : exact));
  }
  EXPECT_NEAR(model.line().alpha_us_per_mib, 120, 12);
  EXPECT_NEAR(static_cast<double>(model.physical(500 * kMib).count()), 68000, 6800);
}

TEST(CostModelTest, SamplesOfOneSizeOverrideThePriorAtThatSize) {
  CostModel model({.alpha_us_per_mib = 500, .beta_us = 50'000});
  for (int i = 0; i < 3; ++i) model.add(sample(20, 5000));
  EXPECT_NEAR(static_cast<double>(model.physical(20 * kMib).count()), 5000, 500);
  EXPECT_GT(model.physical(2000 * kMib), model.physical(20 * kMib)) << "the cost grows with memory";
}

TEST(CostModelTest, OldSamplesAreForgotten) {
  CostModel model;
  for (std::size_t i = 0; i < CostModel::kWindow; ++i) model.add(sample(10 + i, 1'000'000));
  for (std::size_t i = 0; i < CostModel::kWindow; ++i) model.add(sample(10 + i, 1000));
  EXPECT_LT(model.physical(40 * kMib), milliseconds(2));
  EXPECT_EQ(model.samples().size(), CostModel::kWindow);
}

RC_GTEST_PROP(CostModelTest, AnySamplesGiveASaneLineAndTheSameAgainFromItsNumbers, ()) {
  auto raw = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      rc::gen::arbitrary<std::pair<std::uint32_t, std::uint32_t>>());
  CostModel model;
  for (auto [memory, took] : raw) model.add({std::uint64_t{memory} * 64, microseconds(took)});
  RC_ASSERT(std::isfinite(model.line().alpha_us_per_mib) && model.line().alpha_us_per_mib >= 0);
  RC_ASSERT(std::isfinite(model.line().beta_us) && model.line().beta_us >= 0);
  CostModel again;
  for (const CostSample& s : model.samples()) again.add(s);
  RC_ASSERT(again.line() == model.line());
}

TEST(FixedPoliciesTest, EveryNthPolicyMakesEveryThirdNodePhysical) {
  EveryNthPolicy third(3);
  EXPECT_EQ(third.decide({.virtual_nodes_since = 0}), Materialization::kVirtual);
  EXPECT_EQ(third.decide({.virtual_nodes_since = 1}), Materialization::kVirtual);
  EXPECT_EQ(third.decide({.virtual_nodes_since = 2}), Materialization::kPhysical);
  EXPECT_EQ(EveryNthPolicy(1).decide({}), Materialization::kPhysical);
}

TEST(PolicyNamesTest, EveryPolicyIsMadeByItsName) {
  for (const char* name : {"eager", "lazy", "smart", "every-3", "every-1000"}) {
    auto policy = make_policy(name, CostModel());
    ASSERT_OK(policy);
    EXPECT_EQ((*policy)->name(), name);
  }
  for (const char* name : {"", "Eager", "every-", "every-0", "every-1001", "every-3x", "every--1"})
    EXPECT_FALSE(make_policy(name, CostModel()).ok()) << name;
}

TEST(SmartDeciderTest, CommandsThatUseRandomnessMakeANodePhysical) {
  SmartDecider smart(CostModel({.alpha_us_per_mib = 0, .beta_us = 1'000'000}));
  EXPECT_EQ(smart.decide({}), Materialization::kVirtual);
  EXPECT_EQ(smart.decide({.draws_by_chance = true}), Materialization::kPhysical);
}

TEST(ChanceTest, RandomSourcesAreFoundInTheCommandText) {
  for (const char* text :
       {"openssl rand -hex 16 >key", "head -c 8 /dev/urandom | xxd", "x=$RANDOM", "y=${SRANDOM}",
        "uuidgen", "python3 -c 'import random; print(random.random())'", "d=$(mktemp -d)",
        "date +%s >stamp", "cat /proc/sys/kernel/random/uuid", "ssh-keygen -t ed25519 -f k"})
    EXPECT_TRUE(draws_by_chance(std::string_view(text))) << text;
  for (const char* text : {"", "make", "apt-get update", "ls candidates", "./randomize --seed 1",
                           "date-of-birth=3", "echo x >my_random"})
    EXPECT_FALSE(draws_by_chance(std::string_view(text))) << text;
  LogEntry keys = keys_entry("date\n");
  EXPECT_FALSE(draws_by_chance(CommandLog{keys}));
}

LogEntry command(const std::string& text) {
  LogEntry entry;
  entry.text = text;
  return entry;
}

TEST(ReasonToMaterializeTest, OrdinaryCommandsGiveNone) {
  EXPECT_FALSE(reason_to_materialize({command("ls"), command("make")}));
  EXPECT_FALSE(reason_to_materialize({}));
}

TEST(ReasonToMaterializeTest, EachObstacleToReplayIsNamed) {
  LogEntry diverged = command("date");
  diverged.diverged_before = true;
  LogEntry slow = command("sleep 999");
  slow.timed_out = true;
  LogEntry server = command("serve &");
  server.left_background = true;
  LogEntry unknown = command("make");
  unknown.outcome_unknown = true;
  LogEntry large = begun_write("/big", std::string(kMaxKeptContent + 1, 'x'));
  large.outcome_unknown = false;
  for (const LogEntry& entry : {diverged, slow, server, unknown, large, keys_entry("q")}) {
    auto reason = reason_to_materialize({command("ls"), entry});
    ASSERT_TRUE(reason.has_value()) << describe(entry);
    EXPECT_THAT(*reason, HasSubstr(describe(entry)));
  }
}

SnapshotChoice choose(const SnapshotQuestion& q, const MaterializationPolicy& policy) {
  return choose_snapshot(q, policy).value();
}

TEST(SnapshotChoiceTest, PolicyDecidesIfNothingElseDoes) {
  EXPECT_EQ(choose({}, EagerPolicy()).kind, Kind::kPhysical);
  EXPECT_EQ(choose({}, LazyPolicy()).kind, Kind::kVirtual);
  EXPECT_TRUE(choose({}, EagerPolicy()).may_fall_back);
}

TEST(SnapshotChoiceTest, ReasonAgainstReplayOverridesThePolicyWithoutFallback) {
  SnapshotQuestion q{.must = "'serve &' left processes running"};
  EXPECT_EQ(choose(q, LazyPolicy()).kind, Kind::kPhysical);
  EXPECT_EQ(choose(q, LazyPolicy()).why, *q.must);
  EXPECT_FALSE(choose(q, LazyPolicy()).may_fall_back);
  q.replayable = false;
  EXPECT_FALSE(choose(q, LazyPolicy()).may_fall_back);
}

TEST(SnapshotChoiceTest, ReasonAgainstReplayOverridesARequestForAVirtualNode) {
  SnapshotQuestion q{.must = "processes are running", .wanted = Materialization::kVirtual};
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kPhysical);
  EXPECT_EQ(choose(q, EagerPolicy()).why, *q.must);
  q.storage_is_full = true;
  EXPECT_EQ(choose_snapshot(q, EagerPolicy()).error().code, ErrorCode::kNoSpace);
  q.backend_has_snapshots = false;
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kVirtual);
}

TEST(SnapshotChoiceTest, CommandsThatUseRandomnessNeverFallBackToReplay) {
  SnapshotQuestion q{.facts = {.draws_by_chance = true}};
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kPhysical);
  EXPECT_FALSE(choose(q, EagerPolicy()).may_fall_back);
  q.storage_is_full = true;
  EXPECT_EQ(choose_snapshot(q, EagerPolicy()).error().code, ErrorCode::kNoSpace);
}

TEST(SnapshotChoiceTest, RequestedKindIsUsedOrTheSnapshotFails) {
  SnapshotQuestion q{.wanted = Materialization::kVirtual};
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kVirtual);
  q.wanted = Materialization::kPhysical;
  EXPECT_EQ(choose(q, LazyPolicy()).kind, Kind::kPhysical);
  EXPECT_FALSE(choose(q, LazyPolicy()).may_fall_back);
  q.backend_has_snapshots = false;
  EXPECT_EQ(choose_snapshot(q, LazyPolicy()).error().code, ErrorCode::kUnsupported);
  q = {.replayable = false, .must = "keys", .wanted = Materialization::kVirtual};
  EXPECT_EQ(choose_snapshot(q, LazyPolicy()).error().code, ErrorCode::kUnsupported);
}

TEST(SnapshotChoiceTest, UnreplayableStateIsRefusedByABackendWithoutSnapshots) {
  SnapshotQuestion q{.backend_has_snapshots = false};
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kVirtual);
  q.replayable = false;
  q.must = "'keys' cannot be replayed";
  Result<SnapshotChoice> refused = choose_snapshot(q, EagerPolicy());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("'keys' cannot be replayed"));
}

TEST(SnapshotChoiceTest, FullStorageMakesNodesVirtualOrFailsWithNoSpace) {
  SnapshotQuestion q{.storage_is_full = true};
  EXPECT_EQ(choose(q, EagerPolicy()).kind, Kind::kVirtual);
  EXPECT_FALSE(choose(q, EagerPolicy()).can_capture);
  q.wanted = Kind::kVirtual;
  EXPECT_FALSE(choose(q, EagerPolicy()).can_capture);
  EXPECT_TRUE(choose({.wanted = Kind::kVirtual}, EagerPolicy()).can_capture);
  q.wanted = Materialization::kPhysical;
  EXPECT_EQ(choose_snapshot(q, EagerPolicy()).error().code, ErrorCode::kNoSpace);
  q.wanted.reset();
  q.replayable = false;
  EXPECT_EQ(choose_snapshot(q, EagerPolicy()).error().code, ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace sf::control
