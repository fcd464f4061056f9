// Random operations on the backend `waypoint` with real state: variables, files, a working
// directory and a running process in every branch. The model holds what each node and branch must
// print.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <set>

#include "world.h"

namespace sf::test {

using control::BranchId;
using control::NodeId;

struct State {
  std::array<unsigned, 2> variables{};
  std::array<unsigned, 2> files{};
  unsigned directory = 0;
  unsigned process = 0;

  // The expected output of kLook.
  std::string text() const {
    return std::to_string(variables[0]) + " " + std::to_string(variables[1]) + " " +
           std::to_string(files[0]) + " " + std::to_string(files[1]) + " /w/" +
           std::to_string(directory) + " sleep 1000." + std::to_string(process);
  }
};

constexpr const char* kPrepare =
    "mkdir -p /w/{0,1,2,3}; echo 0 >/w/f0; echo 0 >/w/f1; V0=0; V1=0; cd /w/0; "
    "{ sleep 1000.0 & } 2>/dev/null; P=$!; disown";
constexpr const char* kLook =
    "echo $V0 $V1 $(cat /w/f0 /w/f1) $PWD $(tr '\\0' ' ' </proc/$P/cmdline)";

// One operation; apply() maps arbitrary numbers to valid operands.
struct Op {
  unsigned kind = 0;
  unsigned which = 0;
  unsigned value = 0;
};

class Model {
 public:
  explicit Model(World& world) : world_(world) {
    world_.run(kPrepare);
    branches_["main"] = {};
    nodes_[world_.snapshot()] = {};
  }

  void step(const Op& op) {
    BranchId branch(std::next(branches_.begin(), op.which % branches_.size())->first);
    NodeId node = std::next(nodes_.begin(), op.value % nodes_.size())->first;
    switch (op.kind % 8) {
      case 0:
      case 1:
        return change(branch, op);
      case 2:
        nodes_[world_.snapshot(branch)] = branches_[branch.value()];
        return;
      case 3:
      case 4:
        world_.restore(node, branch);
        branches_[branch.value()] = nodes_[node];
        return look(branch);
      case 5:
        return fork(node);
      case 6:
        return end(branch);
      default:
        world_.restart();
        EXPECT_EQ(world_.orphans, 0U);
    }
  }

  void check_all() {
    for (const auto& [branch, state] : branches_) look(BranchId(branch));
    for (const auto& [node, state] : nodes_) {
      world_.restore(node);
      EXPECT_EQ(world_.run(kLook), state.text()) << node.value();
    }
    EXPECT_EQ(world_.disagreements(), std::vector<std::string>());
  }

 private:
  void look(const BranchId& branch) {
    EXPECT_EQ(world_.run(kLook, branch), branches_[branch.value()].text()) << branch.value();
  }

  void change(const BranchId& branch, const Op& op) {
    State& state = branches_[branch.value()];
    unsigned value = ++last_value_;
    std::string text = std::to_string(value);
    switch (op.value % 6) {
      case 0:
      case 1: {
        unsigned index = op.value % 2;
        state.variables[index] = value;
        world_.run("V" + std::to_string(index) + "=" + text, branch);
        return;
      }
      case 2:
      case 3: {
        unsigned index = op.value % 2;
        state.files[index] = value;
        world_.run("echo " + text + " >/w/f" + std::to_string(index), branch);
        return;
      }
      case 4:
        state.directory = value % 4;
        world_.run("cd /w/" + std::to_string(value % 4), branch);
        return;
      default:
        state.process = value;
        world_.run("kill $P; { sleep 1000." + text + " & } 2>/dev/null; P=$!; disown", branch);
    }
  }

  void fork(const NodeId& node) {
    if (branches_.size() > 3) return;
    auto report = world_.session().fork(kMain, node.value(), {.count = 1});
    ASSERT_OK(report);
    ASSERT_OK(report->branches.front());
    const BranchId& fresh = *report->branches.front();
    branches_[fresh.value()] = nodes_[node];
    look(fresh);
  }

  void end(const BranchId& branch) {
    if (branch == kMain) return;
    ASSERT_OK(world_.session().end_branch(branch));
    branches_.erase(branch.value());
  }

  World& world_;
  std::map<std::string, State> branches_;
  std::map<NodeId, State> nodes_;
  unsigned last_value_ = 0;
};

}  // namespace sf::test

namespace rc {

template <>
struct Arbitrary<sf::test::Op> {
  static Gen<sf::test::Op> arbitrary() {
    using sf::test::Op;
    auto number = gen::inRange(0U, 64U);
    return gen::build<Op>(gen::set(&Op::kind, number), gen::set(&Op::which, number),
                          gen::set(&Op::value, number));
  }
};

}  // namespace rc

namespace sf::test {

// NOLINTNEXTLINE: rapidcheck looks for this name
void showValue(const Op& op, std::ostream& out) {
  out << op.kind % 8 << "(" << op.which << ", " << op.value << ")";
}

namespace {

void check_policy(const std::string& policy, const std::vector<Op>& ops) {
  World world;
  world.build("waypoint", policy);
  Model model(world);
  for (const Op& op : ops) model.step(op);
  model.check_all();
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(WaypointModelTest, EagerNodesAndBranchesAreWhatTheModelSays,
              (const std::vector<Op>& ops)) {
  check_policy("eager", ops);
}

RC_GTEST_PROP(WaypointModelTest, LazyNodesAndBranchesAreWhatTheModelSays,
              (const std::vector<Op>& ops)) {
  check_policy("lazy", ops);
}

RC_GTEST_PROP(WaypointModelTest, SmartNodesAndBranchesAreWhatTheModelSays,
              (const std::vector<Op>& ops)) {
  check_policy("smart", ops);
}

}  // namespace
}  // namespace sf::test
