// From the names in a path to what they stand for.
#pragma once

#include "control/names.h"
#include "service/router.h"
#include "service/session_directory.h"

namespace sf::service {

struct BranchTarget {
  SessionDirectory::Session session;
  control::BranchId branch;
};

// /v1/sessions/{s}/branches/{b}...
Result<BranchTarget> branch_target(SessionDirectory& directory, const Call& call);

// A parameter of the address, or `fallback`.
std::string parameter(const Call& call, const std::string& key, const std::string& fallback = {});
// kInvalidArgument, naming it, when it is no number from 0 to `max`.
Result<std::uint64_t> number_parameter(const Call& call, const std::string& key,
                                       std::uint64_t fallback, std::uint64_t max);

}  // namespace sf::service
