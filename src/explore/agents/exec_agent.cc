#include "explore/agents/exec_agent.h"

#include "explore/agents/exec/exec_messages.h"
#include "explore/agents/plain_judgement.h"

namespace sf::explore {
namespace {

class ExecAgent final : public Agent {
 public:
  explicit ExecAgent(std::unique_ptr<AgentProgram> program) : program_(std::move(program)) {}

  Result<Proposal> propose(const Situation& situation) override {
    const Stopwatch watch;
    SF_TRY_ASSIGN(const wire::Json answer, program_->ask(propose_request(situation)));
    SF_TRY_ASSIGN(Proposal proposal, proposal_from(answer));
    proposal.usage.model_time = watch.elapsed();
    return proposal;
  }

  Result<Assessment> assess(const Situation& before, const Turn& turn) override {
    const Stopwatch watch;
    SF_TRY_ASSIGN(const wire::Json answer, program_->ask(assess_request(before, turn)));
    SF_TRY_ASSIGN(auto assessment, assessment_from(answer));
    if (!assessment) return Assessment{.value = plain_value(turn.outcome)};
    assessment->usage.model_time = watch.elapsed();
    return std::move(*assessment);
  }

  Result<Choice> choose(const Situation& before, const std::vector<Turn>& candidates) override {
    const Stopwatch watch;
    SF_TRY_ASSIGN(const wire::Json answer, program_->ask(choose_request(before, candidates)));
    SF_TRY_ASSIGN(auto choice, choice_from(answer, candidates.size()));
    if (!choice) return Choice{.index = highest_value(candidates)};
    choice->usage.model_time = watch.elapsed();
    return *choice;
  }

 private:
  const std::unique_ptr<AgentProgram> program_;
};

}  // namespace

Result<std::unique_ptr<Agent>> make_exec_agent(const ProgramOptions& options) {
  SF_TRY_ASSIGN(auto program, AgentProgram::start(options));
  return std::unique_ptr<Agent>(std::make_unique<ExecAgent>(std::move(program)));
}

}  // namespace sf::explore
