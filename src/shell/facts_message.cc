#include "shell/facts_message.h"

#include <nlohmann/json.hpp>

#include "wire/checked_int.h"

namespace sf::waypoint {

wire::Json to_json(const BranchFacts& facts) {
  return {{"resident_bytes", facts.resident_bytes},
          {"background_processes", facts.background_processes},
          {"at_prompt", facts.at_prompt}};
}

Result<BranchFacts> branch_facts_from_json(const wire::Json& json) {
  try {
    return BranchFacts{wire::checked_int<std::uint64_t>(json, "resident_bytes"),
                       wire::checked_int<std::uint32_t>(json, "background_processes"),
                       json.at("at_prompt").get<bool>()};
  } catch (const wire::Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("facts of a branch: ") + e.what());
  }
}

}  // namespace sf::waypoint
