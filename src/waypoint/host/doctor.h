// Doctor: checks each thing that StateFork needs of a host, and reports whether the host has it,
// what its absence costs, and the command that fixes it. examine_host() reads the facts; judge() is
// pure and turns facts into findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "waypoint/host/host_facts.h"
#include "wire/frame.h"

namespace sf::waypoint {

enum class FindingState {
  kOk,
  kWarning,  // sessions run, but something does not work
  kMissing,  // sessions cannot run, or cannot be checkpointed
};

// The part of StateFork that needs it.
enum class HostPart { kSessions, kCheckpoints, kNativeEngine, kComfort, kBackends };

struct Finding {
  std::string id;  // stable, snake_case
  std::string need;
  HostPart part = HostPart::kSessions;
  FindingState state = FindingState::kOk;
  std::string detail;  // the observation
  std::string cost;    // what the user loses without it
  std::string fix;     // the command that fixes it; empty if there is none or none is needed
};

std::string_view to_string(FindingState state);
std::string_view to_string(HostPart part);

// Runs all probes. Takes well under a second and leaves nothing behind. The order of findings is
// fixed.
std::vector<Finding> examine_host(const DoctorOptions& options);
std::vector<Finding> judge(const HostFacts& facts);
// Pure: the error names the first missing capability that sessions need.
Status check_session_capabilities(const os::CapabilitySet& held);

// Whether sessions can run and be checkpointed on this host.
bool is_ready(const std::vector<Finding>& findings);
// One line: "ready: all engines", or the parts that cannot work, with the ids of their findings.
std::string summarize(const std::vector<Finding>& findings);

// {"version": 1, "ready": ..., "findings": [...]}
wire::Json to_json(const std::vector<Finding>& findings);

}  // namespace sf::waypoint
