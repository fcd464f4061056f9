// Finds the session and the branch that a path names.
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

// A query parameter, or `fallback`.
std::string parameter(const Call& call, const std::string& key, const std::string& fallback = {});
// kInvalidArgument, naming the parameter, if it is not a number from 0 to `max`.
Result<std::uint64_t> number_parameter(const Call& call, const std::string& key,
                                       std::uint64_t fallback, std::uint64_t max);

}  // namespace sf::service
