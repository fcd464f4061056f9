// ScriptAgent: proposes candidates from a file. Deterministic, so tests, demos and benchmarks need
// no model. It can simulate the time that a model takes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "explore/search_agent.h"

namespace sf::explore {

class ScriptAgent final : public Agent {
 public:
  // `think`: how long it sleeps where a model would be called. Each sleep counts as a model call.
  static Result<std::unique_ptr<ScriptAgent>> parse(std::string_view json,
                                                    milliseconds think = milliseconds(0));

  // The first proposal from a state is its first candidate, the next proposal its second candidate.
  // For independent rollouts, the rollout's number selects one path of the script.
  Result<Action> propose(const Situation& situation, Usage& usage) override;
  // Uses the value in the script; without one, whether the command succeeded.
  Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) override;
  // The candidate with the highest value.
  Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                             Usage& usage) override;

  struct Candidate {
    Action action;
    double value = -1;  // below 0: not given
    std::string reflection;
    std::vector<Candidate> next;
  };

 private:
  ScriptAgent(std::vector<Candidate> first, milliseconds think)
      : first_(std::move(first)), think_(think) {}
  void think(Usage& usage) const;
  // The candidates after this path; nullptr if the script does not have the path.
  const std::vector<Candidate>* candidates_after(const std::vector<Turn>& path) const;
  const std::vector<Candidate> first_;
  const milliseconds think_;
};

}  // namespace sf::explore
