// Random operations on a session over a fake backend, compared with a model after each operation,
// after a failure at any step, and after a kill at any step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "testing/matchers.h"
#include "testing/session_model.h"

namespace rc {

template <>
struct Arbitrary<sf::test::ModelOp> {
  static Gen<sf::test::ModelOp> arbitrary() {
    using sf::test::ModelOp;
    // Commands, snapshots and restores are the most frequent operations.
    auto kind = gen::weightedElement<ModelOp::Kind>({{8, ModelOp::kExec},
                                                     {6, ModelOp::kSnapshot},
                                                     {5, ModelOp::kRestore},
                                                     {2, ModelOp::kFork},
                                                     {2, ModelOp::kCleanup},
                                                     {1, ModelOp::kForcedCleanup},
                                                     {1, ModelOp::kEndBranch},
                                                     {1, ModelOp::kKeys},
                                                     {1, ModelOp::kWriteFile},
                                                     {1, ModelOp::kNote},
                                                     {1, ModelOp::kRestart}});
    auto number = gen::inRange(0U, 64U);
    return gen::build<ModelOp>(gen::set(&ModelOp::kind, kind), gen::set(&ModelOp::branch, number),
                               gen::set(&ModelOp::node, number),
                               gen::set(&ModelOp::detail, number));
  }
};

}  // namespace rc

namespace sf::test {

// NOLINTNEXTLINE: rapidcheck looks for this name
void showValue(const ModelOp& op, std::ostream& out) { out << op.describe(); }

namespace {

struct Setting {
  std::string policy;
  FakeBackendOptions options;
};

Setting any_setting() {
  Setting setting;
  setting.policy = *rc::gen::element<std::string>("eager", "lazy", "smart", "every-2");
  setting.options.capabilities.physical_snapshots =
      *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
  setting.options.notices_unchanged = *rc::gen::arbitrary<bool>();
  return setting;
}

void require(const std::string& wrong) {
  if (!wrong.empty()) RC_FAIL(wrong);
}

void do_all(SessionModel& model, const std::vector<ModelOp>& ops) {
  for (const ModelOp& op : ops) require(model.step(op));
}

RC_GTEST_PROP(SessionModelTest, AfterAnyOperationsEveryNodeAndBranchIsWhatTheModelSays,
              (const std::vector<ModelOp>& ops)) {
  Setting setting = any_setting();
  SessionFixture world(setting.policy, setting.options);
  RC_ASSERT(world.build().ok());
  SessionModel model(world);
  do_all(model, ops);
  require(model.check_all());
}

RC_GTEST_PROP(SessionModelTest, AFailureOfAnyCallLeavesTheStateAsItWas,
              (const std::vector<ModelOp>& before, const ModelOp& op,
               const std::vector<ModelOp>& after)) {
  Setting setting = any_setting();
  SessionFixture world(setting.policy, setting.options);
  RC_ASSERT(world.build().ok());
  SessionModel model(world);
  do_all(model, before);
  world.fuse.arm(*rc::gen::inRange<std::size_t>(0, 12), Fuse::Mode::kFailOnce);
  require(model.step(op));
  RC_CLASSIFY(world.fuse.has_blown());
  world.fuse.disarm();
  do_all(model, after);
  require(model.check_all());
}

RC_GTEST_PROP(SessionModelTest, AKillAtAnyCallLeavesTheOldStateOrTheNewAndNoGarbage,
              (const std::vector<ModelOp>& before, const ModelOp& op,
               const std::vector<ModelOp>& after)) {
  Setting setting = any_setting();
  SessionFixture world(setting.policy, setting.options);
  RC_ASSERT(world.build().ok());
  SessionModel model(world);
  do_all(model, before);
  world.fuse.arm(*rc::gen::inRange<std::size_t>(0, 12),
                 *rc::gen::element(Fuse::Mode::kCutBefore, Fuse::Mode::kCutAfter));
  require(model.step(op));
  RC_CLASSIFY(world.fuse.has_blown());
  if (world.fuse.has_blown()) require(model.recover_from(op));
  world.fuse.disarm();
  do_all(model, after);
  require(model.check_all());
}

}  // namespace
}  // namespace sf::test
