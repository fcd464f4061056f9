// Names of policies: a known name gives a policy, any other an error that lists the names.
#include "control/policy_names.h"

#include "input.h"

namespace sf::fuzz {

void policy_names(std::string_view input) {
  auto policy = control::make_policy(input, control::CostModel());
  if (policy) {
    SF_CHECK(*policy != nullptr);
    SF_CHECK(input == "eager" || input == "lazy" || input == "smart" ||
             input.starts_with("every-"));
    return;
  }
  check_clear(policy.error(), ErrorCode::kInvalidArgument);
  SF_CHECK(policy.error().hint.find("every-N") != std::string::npos);
}

}  // namespace sf::fuzz
