// Long sessions: many checkpoints, restores in any order, and new branches of the tree from old
// nodes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runner.h"
#include "testing/matchers.h"
#include "waypoint_host.h"

namespace sf::equivalence {
namespace {

constexpr int kSteps = 30;
constexpr unsigned kJumps = 20;
constexpr unsigned kDefaultSeed = 20261115;

unsigned from_environment(const char* name, unsigned usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : usual;
}

const std::vector<std::string>& set_up() {
  static const std::vector<std::string> kCommands = {
      "redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes > /dev/null; "
      "wait-for redis-cli ping",
      "mkdir site; echo 0 > site/index.html; (/usr/bin/python3 -m http.server 8000 --bind "
      "127.0.0.1 -d site > /dev/null 2>&1 &)",
      "wait-for curl -sf http://127.0.0.1:8000/",
      "mkfifo in; exec 4<>in; /usr/bin/python3 -q -i -u < in >> out 2>/dev/null &",
      "printf 'trail = []\\nprint(\"ready\")\\n' >&4; wait-for grep ready out",
      "echo 0 > linked; ln linked alias; declare -a steps=(); mkdir tree",
  };
  return kCommands;
}

// Each step changes every kind of state, so that a mixture of two nodes cannot go unnoticed.
std::vector<std::string> step(int number) {
  std::string n = std::to_string(number);
  return {
      "steps+=(" + n + "); last=" + n + "; mkdir -p /w/tree/d" + n + " && cd /w/tree/d" + n,
      "redis-cli incr counter > /dev/null; redis-cli rpush trail " + n + " > /dev/null",
      "echo " + n + " > /w/site/index.html; echo " + n + " > /w/linked; echo 'step " + n +
          "' >> /w/log",
      "rm -rf /w/tree/d" + std::to_string(number - 3) + "; mv /w/renamed" +
          std::to_string(number - 1) + " /w/renamed" + n +
          " 2>/dev/null || echo born > /w/renamed" + n,
      ": > /w/out; printf 'trail.append(" + n +
          ")\\nprint(\"END\")\\n' >&4; wait-for grep END /w/out",
      // Wait for the old job, so that bash does not report its end during a later command.
      "{ sleep " + std::to_string(5000 + number) +
          " & next=$!; [ -z \"$before\" ] || { kill $before; wait $before; }; before=$next; jobs; "
          "} > "
          "/dev/null 2>&1",
  };
}

const std::vector<std::string>& probe() {
  static const std::vector<std::string> kCommands = {
      "pwd; echo ${steps[@]} $last",
      "redis-cli get counter; redis-cli lrange trail 0 -1 | tr '\\n' ' '",
      "curl -s http://127.0.0.1:8000/; cat /w/alias; stat -c '%h %i' /w/linked /w/alias; md5sum < "
      "/w/log",
      "(cd /w; find tree renamed* -printf '%P %y %i\\n' | LC_ALL=C sort)",
      ": > /w/out; echo 'print(trail, id(trail)); print(\"END\")' >&4; wait-for grep END /w/out; "
      "cat /w/out",
      "ps -o args= -p $before; echo $before",
  };
  return kCommands;
}

struct Node {
  CheckpointId id;
  Observations seen;
  int steps = 0;  // number of steps that led to this node
};

class ChainTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(host_, WaypointHost::open()); }
  void TearDown() override {
    if (host_ != nullptr) host_->close();
  }

  Result<Node> step_and_checkpoint(Session& session, int number) {
    SF_TRY_ASSIGN(Observations stepped, session.run(step(number)));
    for (const Observation& seen : stepped)
      EXPECT_EQ(seen.exit_code, 0) << seen.command << seen.output;
    Node node;
    node.steps = number;
    SF_TRY_ASSIGN(node.seen, session.run(probe()));
    SF_TRY_ASSIGN(node.id, session.checkpoint());
    return node;
  }

  std::unique_ptr<WaypointHost> host_;
};

TEST_F(ChainTest, EveryNodeOfALongChainCanBeRestoredInAnyOrder) {
  // SF_SEED selects the random sequence; a large SF_JUMPS makes it a soak test.
  const unsigned seed = from_environment("SF_SEED", kDefaultSeed);
  const unsigned jumps = from_environment("SF_JUMPS", kJumps);
  SCOPED_TRACE("SF_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  auto pick = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };

  ASSERT_OK_AND_ASSIGN(Session session, Session::start(*host_, "root"));
  ASSERT_OK_AND_ASSIGN(Observations ready, session.run(set_up()));
  for (const Observation& seen : ready)
    ASSERT_EQ(seen.exit_code, 0) << seen.command << "\n" << seen.output;

  std::vector<Node> nodes;
  for (int number = 1; number <= kSteps; ++number) {
    ASSERT_OK_AND_ASSIGN(Node node, step_and_checkpoint(session, number));
    nodes.push_back(std::move(node));
  }
  for (unsigned jump = 0; jump < jumps; ++jump) {
    const Node node = nodes[pick(nodes.size())];
    SCOPED_TRACE("jump " + std::to_string(jump) + " to " + node.id.value());
    ASSERT_OK(session.restore(node.id));
    ASSERT_OK_AND_ASSIGN(Observations seen, session.run(probe()));
    ASSERT_TRUE(same(node.seen, seen, "a jump"));
    if (jump % 4 == 1) {  // grow a branch of the tree; its leaf can be restored later
      ASSERT_OK_AND_ASSIGN(Node leaf, step_and_checkpoint(session, node.steps + 100));
      nodes.push_back(std::move(leaf));
    }
    if (jump % 4 == 2) {
      const Node& old = nodes[pick(nodes.size())];
      ASSERT_OK_AND_ASSIGN(Session fork, Session::fork(*host_, old.id));
      ASSERT_OK_AND_ASSIGN(Observations in_fork, fork.run(probe()));
      ASSERT_TRUE(same(old.seen, in_fork, "a fork of " + old.id.value()));
      ASSERT_OK(fork.run(step(200)));
      ASSERT_OK_AND_ASSIGN(Observations beside, session.run(probe()));
      ASSERT_TRUE(same(node.seen, beside, "the branch beside its fork"));
    }
    if (jump % 4 == 3) {
      ASSERT_OK(session.run(damage()));
    }
  }
}

TEST_F(ChainTest, HardLinksStayLinkedOverManyCheckpoints) {
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(*host_, "root"));
  ASSERT_OK_AND_ASSIGN(Observation made, session.run("echo 0 > f1; ln f1 f2; stat -c '%h %i' f1"));
  for (int number = 1; number <= 8; ++number) {
    std::string text = std::to_string(number);
    ASSERT_OK_AND_ASSIGN(CheckpointId here, session.checkpoint());
    ASSERT_OK_AND_ASSIGN(Observation other, session.run("echo " + text + " > f1; cat f2"));
    EXPECT_EQ(other.output, text + "\n");
    if (number % 3 == 0) {
      ASSERT_OK(session.restore(here));
      ASSERT_OK_AND_ASSIGN(Observation back, session.run("cat f1 f2"));
      std::string before = std::to_string(number - 1) + "\n";
      EXPECT_EQ(back.output, before + before);
      ASSERT_OK_AND_ASSIGN(Observation again, session.run("echo " + text + " > f2; cat f1"));
      EXPECT_EQ(again.output, text + "\n");
    }
    ASSERT_OK_AND_ASSIGN(Observation links, session.run("stat -c '%h %i' f1"));
    EXPECT_EQ(links.output, made.output);
  }
}

TEST_F(ChainTest, ForksOfOneCheckpointLiveSideBySideAndApart) {
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(*host_, "root"));
  ASSERT_OK(session.run(
      "redis-server --port 6379 --save '' --daemonize yes > /dev/null; wait-for redis-cli ping"));
  ASSERT_OK(session.run("x=0; echo 0 > file; redis-cli set x 0"));
  ASSERT_OK_AND_ASSIGN(CheckpointId here, session.checkpoint());
  std::vector<Session> forks;
  for (int number = 0; number < 3; ++number) {
    ASSERT_OK_AND_ASSIGN(Session fork, Session::fork(*host_, here));
    forks.push_back(std::move(fork));
  }
  const std::string look = "echo $x $(cat file) $(redis-cli get x) $$";
  ASSERT_OK_AND_ASSIGN(Observation first, session.run(look));
  for (std::size_t index = 0; index < forks.size(); ++index) {
    ASSERT_OK_AND_ASSIGN(Observation seen, forks[index].run(look));
    EXPECT_EQ(seen.output, first.output);
    std::string text = std::to_string(index + 1);
    ASSERT_OK(
        forks[index].run("x=" + text + "; echo " + text + " > file; redis-cli set x " + text));
  }
  for (std::size_t index = 0; index < forks.size(); ++index) {
    std::string text = std::to_string(index + 1);
    ASSERT_OK_AND_ASSIGN(Observation seen,
                         forks[index].run("echo $x $(cat file) $(redis-cli get x)"));
    EXPECT_EQ(seen.output, text + " " + text + " " + text + "\n");
  }
  ASSERT_OK_AND_ASSIGN(Observation last, session.run(look));
  EXPECT_EQ(last.output, first.output);
}

}  // namespace
}  // namespace sf::equivalence
