#include "explore/explorer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "explore/agents/plain_judgement.h"
#include "explore/journal.h"

namespace sf::explore {
namespace {

Turn turn_of(const SearchNode& node) {
  return {node.action, node.outcome, node.value, node.reflection};
}

// If the agent fails this many times in a row, the agent is at fault and not the state.
constexpr int kMostAgentFailures = 3;
constexpr std::size_t kMostSteps = 1000;  // requested from a policy at a time

std::string used_up_text(const std::string& what) { return "the budget is used up: " + what; }

// The best value at or below a node: what a move can lead to. It is 0 if all actions tried from the
// node failed, however promising the node looked.
double prospect(const SearchTree& tree, NodeIndex index) {
  const std::vector<NodeIndex>& children = tree.children(index);
  const bool is_refuted = !children.empty() && std::ranges::all_of(children, [&](NodeIndex child) {
    return !tree.at(child).failure.empty();
  });
  double best = tree.at(index).failure.empty() && !is_refuted ? tree.at(index).value : 0;
  for (NodeIndex child : children) best = std::max(best, prospect(tree, child));
  return best;
}

class Run {
 public:
  Run(SearchTree& tree, const SearchPolicy& policy, Agent& agent, World& world,
      const ExploreOptions& options, const ExploreSinks& sinks)
      : tree_(tree),
        policy_(policy),
        agent_(agent),
        world_(world),
        options_(options),
        sinks_(sinks) {}

  Result<Ending> go() {
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.jobs, 1); ++i)
      workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    const NodeIndex best = policy_.best(tree_);
    const SearchNode& chosen = tree_.at(best);
    // If the budget ran out, grade the best node so far.
    if (!failure_ && !is_stopped_ && best != kRoot && !chosen.grade && chosen.failure.empty()) {
      std::unique_lock lock(mutex_);
      perform(Judge{best}, lock);
    }
    if (failure_) return *failure_;
    return Ending{best, why_, is_whole_};
  }

 private:
  // Performs steps until the run is over.
  void work() {
    std::unique_lock lock(mutex_);
    while (auto step = take(lock)) {
      if (sinks_.progress) sinks_.progress(tree_, under_way_);
      std::visit([&](const auto& each) { perform(each, lock); }, *step);
      under_way_.erase(std::ranges::find(under_way_, *step));
      if (sinks_.progress) sinks_.progress(tree_, under_way_);
      changed_.notify_all();
    }
  }

  // Waits while the steps of other threads may lead to new ones. nullopt: the run is over.
  std::optional<Step> take(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      if (is_over_) return std::nullopt;
      if (sinks_.stopping && sinks_.stopping()) {
        is_stopped_ = true;
        return end("the run was stopped");
      }
      const microseconds elapsed = options_.spent_before + watch_.elapsed();
      if (auto late = out_of_time(options_.budget, elapsed); !late.empty())
        return end(used_up_text(late));
      const std::string used = used_up(options_.budget, tree_, expansions_under_way());
      const Decision decision = policy_.next(tree_, under_way_, used.empty() ? 1 : kMostSteps);
      // Nodes reached within the budget are still judged: judging uses none of it.
      auto step = used.empty() ? decision.steps.begin()
                               : std::ranges::find_if(decision.steps, [](const Step& each) {
                                   return std::holds_alternative<Judge>(each);
                                 });
      if (step != decision.steps.end()) {
        under_way_.push_back(*step);
        return *step;
      }
      if (under_way_.empty()) {
        is_whole_ = decision.steps.empty();
        return end(is_whole_ ? decision.why : used_up_text(used));
      }
      changed_.wait(lock);
    }
  }

  std::optional<Step> end(std::string why) {
    why_ = std::move(why);
    is_over_ = true;
    changed_.notify_all();
    return std::nullopt;
  }

  std::size_t expansions_under_way() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        under_way_, [](const Step& step) { return std::holds_alternative<Expand>(step); }));
  }

  Situation situation_at(NodeIndex index) const {
    Situation situation;
    situation.instruction = options_.instruction;
    for (NodeIndex node : tree_.path(index)) situation.path.push_back(turn_of(tree_.at(node)));
    for (NodeIndex child : tree_.children(index))
      situation.siblings.push_back(turn_of(tree_.at(child)));
    return situation;
  }

  void perform(const Expand& expand, std::unique_lock<std::mutex>& lock) {
    Situation situation = situation_at(expand.parent);
    situation.lane = expand.lane;
    // Exclude this expansion itself, which is in under_way_.
    situation.ordinal =
        tree_.children(expand.parent).size() + expansions_of(under_way_, expand.parent) - 1;
    const std::string from = tree_.at(expand.parent).state;
    lock.unlock();
    const microseconds began = options_.spent_before + watch_.elapsed();
    Grown grown = grow(situation, from);
    SearchNode& node = grown.node;
    node.began = began;
    node.took = options_.spent_before + watch_.elapsed() - began;
    node.parent = expand.parent;
    node.lane = expand.lane;
    // An action without a command leads to no new state that could hold the note.
    const bool is_new = !node.state.empty() && node.state != from;
    Status kept = is_new ? world_.remember(node.state, node) : Status(Ok{});
    lock.lock();
    if (!kept) return give_up(std::move(kept).error());
    agent_failures_ = grown.agent_error ? agent_failures_ + 1 : 0;
    if (agent_failures_ == kMostAgentFailures)
      grown.fatal = std::move(*grown.agent_error)
                        .while_doing(std::to_string(kMostAgentFailures) +
                                     " consecutive failures of the agent; the last one");
    if (grown.fatal) {  // adds no node, but its cost counts
      if (write(spent_line(expand.parent, node.usage))) tree_.spend(expand.parent, node.usage);
      return give_up(std::move(*grown.fatal));
    }
    if (!write(node_line(node))) return;
    tree_.add(std::move(node));
  }

  struct Grown {
    SearchNode node;
    std::optional<Error> fatal;        // no further step can succeed
    std::optional<Error> agent_error;  // may concern this step only
  };

  // Performs one expansion. A step that fails becomes a dead end with the reason.
  Grown grow(const Situation& situation, const std::string& from) {
    Grown grown;
    SearchNode& node = grown.node;
    auto agent_failed = [&](const Error& error) {
      node.failure = error.describe();
      // kNotFound: the agent has no proposal for this state, which is not a failure.
      if (error.code != ErrorCode::kNotFound) grown.agent_error = error;
      return grown;
    };
    auto action = agent_.propose(situation, node.usage);
    if (!action) return agent_failed(action.error());
    node.action = std::move(*action);
    auto advance = world_.advance(from, node.action);
    if (!advance) {
      node.failure = advance.error().describe();
      if (Status there = world_.check(); !there) grown.fatal = std::move(there).error();
      return grown;
    }
    node.outcome = std::move(advance->outcome);
    node.state = std::move(advance->state);
    node.usage += advance->usage;
    auto assessment = agent_.assess(situation, turn_of(node), node.usage);
    if (!assessment) return agent_failed(assessment.error());
    node.value = std::clamp(assessment->value, 0.0, 1.0);
    node.reflection = std::move(assessment->reflection);
    return grown;
  }

  void perform(const Judge& judge, std::unique_lock<std::mutex>& lock) {
    const std::string state = tree_.at(judge.node).state;
    lock.unlock();
    Usage usage;
    auto grade = world_.grade(state, usage);
    Status there = grade ? Status(Ok{}) : world_.check();
    lock.lock();
    if (!there) return give_up(std::move(there).error());
    // A state that cannot be graded has not passed.
    Grade given = grade ? std::move(*grade) : Grade{0, grade.error().describe()};
    if (!write(grade_line(judge.node, given, usage))) return;
    tree_.set_grade(judge.node, std::move(given), usage);
  }

  void perform(const Commit& commit, std::unique_lock<std::mutex>& lock) {
    Situation situation = situation_at(tree_.committed());
    std::vector<Turn> candidates;
    for (NodeIndex index : commit.among) {
      candidates.push_back(turn_of(tree_.at(index)));
      candidates.back().value = prospect(tree_, index);
    }
    lock.unlock();
    Usage usage;
    auto choice = agent_.choose(situation, candidates, usage);
    lock.lock();
    // If the agent cannot choose, the highest value wins.
    const bool is_sound = choice && *choice < candidates.size();
    const std::size_t index = is_sound ? *choice : highest_value(candidates);
    if (!write(commit_line(commit.among[index], usage))) return;
    tree_.commit(commit.among[index]);
    tree_.spend(commit.among[index], usage);
  }

  bool write(const std::string& line) {
    Status written = sinks_.journal ? sinks_.journal(line) : Status(Ok{});
    if (!written) give_up(std::move(written).error());
    return written.ok();
  }
  void give_up(Error error) {
    if (!failure_) failure_ = std::move(error);
    is_over_ = true;
  }

  SearchTree& tree_;  // guarded by mutex_, as are the fields below
  const SearchPolicy& policy_;
  Agent& agent_;
  World& world_;
  const ExploreOptions& options_;
  const ExploreSinks& sinks_;
  Stopwatch watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Step> under_way_;
  std::optional<Error> failure_;
  std::string why_;
  int agent_failures_ = 0;  // in a row
  bool is_whole_ = false;
  bool is_over_ = false;
  bool is_stopped_ = false;
};

}  // namespace

Result<Ending> explore(SearchTree& tree, const SearchPolicy& policy, Agent& agent, World& world,
                       const ExploreOptions& options, const ExploreSinks& sinks) {
  return Run(tree, policy, agent, world, options, sinks).go();
}

}  // namespace sf::explore
