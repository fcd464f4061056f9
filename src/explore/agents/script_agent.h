// ScriptAgent: candidates from a file, the same every time; for tests, demos and benchmarks without
// a model. It may take the time that a model would.
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
  // `think`: how long it really waits wherever a model would be called; that counts as such a call.
  static Result<std::unique_ptr<ScriptAgent>> parse(std::string_view json,
                                                    milliseconds think = milliseconds(0));

  // The first proposal from a state is its first candidate, the next one its second. Where rollouts
  // lie side by side, their numbers count through all paths there are.
  Result<Action> propose(const Situation& situation, Usage& usage) override;
  // As the script says; else by whether the command failed.
  Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) override;
  // The one of highest value.
  Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                             Usage& usage) override;

  struct Candidate {
    Action action;
    double value = -1;  // below 0: not said
    std::string reflection;
    std::vector<Candidate> next;
  };

 private:
  ScriptAgent(std::vector<Candidate> first, milliseconds think)
      : first_(std::move(first)), think_(think) {}
  void think(Usage& usage) const;
  // Those that follow the path; null: the path is not the script's.
  const std::vector<Candidate>* candidates_after(const std::vector<Turn>& path) const;
  const std::vector<Candidate> first_;
  const milliseconds think_;
};

}  // namespace sf::explore
