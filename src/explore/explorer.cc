#include "explore/explorer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "explore/journal.h"

namespace sf::explore {
namespace {

Turn turn_of(const SearchNode& node) {
  return {node.action, node.outcome, node.value, node.reflection};
}

// The best value at or below a node: what a move can lead to. Where all that was tried from it
// failed, however promising it looked, that is nothing.
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
    // A budget that was used up before the end still leaves something to hand in.
    if (!failure_ && best != kRoot && !chosen.grade && chosen.failure.empty()) {
      std::unique_lock lock(mutex_);
      perform(Judge{best}, lock);
    }
    if (failure_) return *failure_;
    return Ending{best, why_, is_whole_};
  }

 private:
  // Takes steps until there are none left to take.
  void work() {
    std::unique_lock lock(mutex_);
    while (auto step = take(lock)) {
      std::visit([&](const auto& each) { perform(each, lock); }, *step);
      under_way_.erase(std::ranges::find(under_way_, *step));
      if (sinks_.progress) sinks_.progress(tree_, under_way_);
      changed_.notify_all();
    }
  }

  // Waits while others may yet make something to do. Nothing: the run is over.
  std::optional<Step> take(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      if (is_over_) return std::nullopt;
      if (auto reason = reason_to_stop(); !reason.empty()) {
        why_ = std::move(reason);
        is_over_ = true;
        changed_.notify_all();
        return std::nullopt;
      }
      Decision decision = policy_.next(tree_, under_way_, 1);
      if (!decision.steps.empty()) {
        under_way_.push_back(decision.steps.front());
        return decision.steps.front();
      }
      if (under_way_.empty()) {
        why_ = std::move(decision.why);
        is_whole_ = true;
        is_over_ = true;
        changed_.notify_all();
        return std::nullopt;
      }
      changed_.wait(lock);
    }
  }

  std::string reason_to_stop() const {
    if (failure_) return "failed";
    if (sinks_.stopping && sinks_.stopping()) return "it was stopped";
    const auto began = static_cast<std::size_t>(std::ranges::count_if(
        under_way_, [](const Step& step) { return std::holds_alternative<Expand>(step); }));
    const std::string used =
        used_up(options_.budget, tree_, began, options_.spent_before + watch_.elapsed());
    return used.empty() ? "" : "the budget is used up: " + used;
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
    // This one is among those under way.
    situation.ordinal =
        tree_.children(expand.parent).size() + expansions_of(under_way_, expand.parent) - 1;
    const std::string from = tree_.at(expand.parent).state;
    lock.unlock();
    const microseconds began = options_.spent_before + watch_.elapsed();
    SearchNode node = grow(situation, from);
    node.began = began;
    node.took = options_.spent_before + watch_.elapsed() - began;
    node.parent = expand.parent;
    node.lane = expand.lane;
    Status kept = node.state.empty() ? Status(Ok{}) : world_.remember(node.state, node);
    lock.lock();
    if (!kept) return give_up(std::move(kept).error());
    if (!write(node_line(node))) return;
    tree_.add(std::move(node));
  }

  // A step that fails is a dead end, and says why.
  SearchNode grow(const Situation& situation, const std::string& from) {
    SearchNode node;
    auto dead_end = [&](const Error& error) {
      node.failure = error.describe();
      return node;
    };
    auto proposal = agent_.propose(situation);
    if (!proposal) return dead_end(proposal.error());
    node.action = std::move(proposal->action);
    node.usage += proposal->usage;
    auto advance = world_.advance(from, node.action);
    if (!advance) return dead_end(advance.error());
    node.outcome = std::move(advance->outcome);
    node.state = std::move(advance->state);
    node.usage += advance->usage;
    auto assessment = agent_.assess(situation, turn_of(node));
    if (!assessment) return dead_end(assessment.error());
    node.value = std::clamp(assessment->value, 0.0, 1.0);
    node.reflection = std::move(assessment->reflection);
    node.usage += assessment->usage;
    return node;
  }

  void perform(const Judge& judge, std::unique_lock<std::mutex>& lock) {
    const std::string state = tree_.at(judge.node).state;
    lock.unlock();
    Usage usage;
    auto grade = world_.grade(state, usage);
    lock.lock();
    // What cannot be judged has not passed.
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
    auto choice = agent_.choose(situation, candidates);
    lock.lock();
    // An agent that cannot choose leaves it to the values.
    std::size_t index = 0;
    Usage usage;
    if (choice && choice->index < candidates.size()) {
      index = choice->index;
      usage = choice->usage;
    } else {
      index = static_cast<std::size_t>(std::ranges::max_element(candidates, {}, &Turn::value) -
                                       candidates.begin());
    }
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

  SearchTree& tree_;  // guarded by mutex_, as all below
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
  bool is_whole_ = false;
  bool is_over_ = false;
};

}  // namespace

Result<Ending> explore(SearchTree& tree, const SearchPolicy& policy, Agent& agent, World& world,
                       const ExploreOptions& options, const ExploreSinks& sinks) {
  return Run(tree, policy, agent, world, options, sinks).go();
}

}  // namespace sf::explore
