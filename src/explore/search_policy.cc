#include "explore/search_policy.h"

#include <algorithm>

#include "explore/policies/policies.h"

namespace sf::explore {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<SearchPolicy> (*make)(const PolicyOptions&);
};
constexpr Entry kPolicies[] = {{"pass@k", make_pass_at_k},
                               {"best-of-n", make_best_of_n},
                               {"beam", make_beam},
                               {"mcts", make_mcts}};

Status check(const PolicyOptions& options) {
  for (int number : {options.attempts, options.steps, options.width, options.depth, options.beam}) {
    if (number < 1 || number > 100'000)
      return invalid("options of a policy must be from 1 to 100000, not " + std::to_string(number));
  }
  if (!(options.exploration >= 0 && options.exploration <= 100))
    return invalid("the exploration weight must be from 0 to 100");
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<SearchPolicy>> make_policy(const std::string& name,
                                                  const PolicyOptions& options) {
  SF_TRY(check(options));
  std::string all;
  for (const Entry& entry : kPolicies) {
    if (name == entry.name) return entry.make(options);
    all += (all.empty() ? "" : ", ") + std::string(entry.name);
  }
  return invalid("unknown policy \"" + name + "\"", "choose one of: " + all);
}

std::size_t expansions_of(const std::vector<Step>& under_way, NodeIndex node) {
  return static_cast<std::size_t>(std::ranges::count_if(under_way, [&](const Step& step) {
    const auto* expand = std::get_if<Expand>(&step);
    return expand != nullptr && expand->parent == node;
  }));
}

bool is_judged_now(const std::vector<Step>& under_way, NodeIndex node) {
  return std::ranges::any_of(under_way, [&](const Step& step) {
    const auto* judge = std::get_if<Judge>(&step);
    return judge != nullptr && judge->node == node;
  });
}

}  // namespace sf::explore
