#include "explore/agents/exec_agent.h"

#include "explore/agents/exec/exec_messages.h"
#include "explore/agents/plain_judgement.h"

namespace sf::explore {
namespace {

class ExecAgent final : public Agent {
 public:
  explicit ExecAgent(std::unique_ptr<AgentProgram> program) : program_(std::move(program)) {}

  Result<Action> propose(const Situation& situation, Usage& usage) override {
    SF_TRY_ASSIGN(const wire::Json answer, ask(propose_request(situation), usage));
    return action_from(answer, usage);
  }

  Result<Assessment> assess(const Situation& before, const Turn& turn, Usage& usage) override {
    SF_TRY_ASSIGN(const wire::Json answer, ask(assess_request(before, turn), usage));
    SF_TRY_ASSIGN(auto assessment, assessment_from(answer, usage));
    if (!assessment) return Assessment{.value = plain_value(turn.outcome)};
    return std::move(*assessment);
  }

  Result<std::size_t> choose(const Situation& before, const std::vector<Turn>& candidates,
                             Usage& usage) override {
    SF_TRY_ASSIGN(const wire::Json answer, ask(choose_request(before, candidates), usage));
    SF_TRY_ASSIGN(auto choice, choice_from(answer, candidates.size(), usage));
    return choice.value_or(highest_value(candidates));
  }

 private:
  Result<wire::Json> ask(const wire::Json& request, Usage& usage) {
    const Stopwatch watch;
    auto answer = program_->ask(request);
    usage.model_time += watch.elapsed();
    return answer;
  }

  const std::unique_ptr<AgentProgram> program_;
};

}  // namespace

Result<std::unique_ptr<Agent>> make_exec_agent(const ProgramOptions& options) {
  SF_TRY_ASSIGN(auto program, AgentProgram::start(options));
  return std::unique_ptr<Agent>(std::make_unique<ExecAgent>(std::move(program)));
}

}  // namespace sf::explore
