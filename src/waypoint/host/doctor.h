// Doctor: for each thing StateFork needs of a host, whether it is there, what its absence costs,
// and the command that mends it. examine_host() looks; judge() is the pure part, from facts to
// findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "waypoint/host/host_facts.h"
#include "wire/frame.h"

namespace sf::waypoint {

enum class FindingState {
  kOk,
  kWarning,  // sessions run, and something is lost
  kMissing,  // sessions cannot run, or cannot be checkpointed
};

// Which part of StateFork leans on a need.
enum class HostPart { kSessions, kCheckpoints, kNativeEngine, kComfort, kBackends };

struct Finding {
  std::string id;  // stable, snake_case
  std::string need;
  HostPart part = HostPart::kSessions;
  FindingState state = FindingState::kOk;
  std::string detail;  // what was seen
  std::string cost;    // what the user loses without it
  std::string fix;     // the command that mends it; empty when there is none, or nothing to mend
};

std::string_view to_string(FindingState state);
std::string_view to_string(HostPart part);

// Tries everything out; takes well under a second and leaves nothing behind. The order of findings
// is fixed.
std::vector<Finding> examine_host(const DoctorOptions& options);
std::vector<Finding> judge(const HostFacts& facts);
// Pure: names the first capability that sessions need and that is not held.
Status check_session_capabilities(const os::CapabilitySet& held);

// Can sessions run and be checkpointed here?
bool is_ready(const std::vector<Finding>& findings);
// One line: "ready: all engines", or what cannot work and for which findings.
std::string summarize(const std::vector<Finding>& findings);

// {"version": 1, "ready": ..., "findings": [...]}
wire::Json to_json(const std::vector<Finding>& findings);

}  // namespace sf::waypoint
