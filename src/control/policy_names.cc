#include "control/policy_names.h"

#include <charconv>

#include "control/fixed_policies.h"
#include "control/smart_decider.h"

namespace sf::control {

Result<std::unique_ptr<MaterializationPolicy>> make_policy(std::string_view name, CostModel model) {
  using Made = std::unique_ptr<MaterializationPolicy>;
  constexpr std::string_view kEvery = "every-";
  if (name == "eager") return Made(std::make_unique<EagerPolicy>());
  if (name == "lazy") return Made(std::make_unique<LazyPolicy>());
  if (name == "smart") return Made(std::make_unique<SmartDecider>(std::move(model)));
  if (name.starts_with(kEvery)) {
    std::string_view digits = name.substr(kEvery.size());
    std::size_t n = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error == std::errc() && stop == digits.data() + digits.size() && n >= 1 && n <= 1000)
      return Made(std::make_unique<EveryNthPolicy>(n));
  }
  return invalid("no policy '" + std::string(name.substr(0, kMaxName)) + "'",
                 "use eager, lazy, smart or every-N");
}

}  // namespace sf::control
