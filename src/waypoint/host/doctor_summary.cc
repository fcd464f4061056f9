// Summarizes the findings: verdict, one line, JSON document.
#include <algorithm>
#include <utility>

#include "waypoint/host/doctor.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kNamedTroubles = 4;

// "overlay, criu": the ids of the failed findings in one part; only the first few are listed.
std::string troubles(const std::vector<Finding>& findings, HostPart part, FindingState state) {
  std::string ids;
  std::size_t count = 0;
  for (const Finding& finding : findings) {
    if (finding.part != part || finding.state != state || ++count > kNamedTroubles) continue;
    ids += (ids.empty() ? "" : ", ") + finding.id;
  }
  if (count > kNamedTroubles) ids += " and " + std::to_string(count - kNamedTroubles) + " more";
  return ids;
}

// The first command to try. Findings are in the order of their causes: without root, nothing else
// works.
std::string first_step(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.state == FindingState::kMissing && !finding.fix.empty())
      return "; first: " + finding.fix;
  }
  return "";
}

}  // namespace

std::string_view to_string(FindingState state) {
  switch (state) {
    case FindingState::kOk:
      return "ok";
    case FindingState::kWarning:
      return "warning";
    case FindingState::kMissing:
      return "missing";
  }
  return "unknown";
}

std::string_view to_string(HostPart part) {
  switch (part) {
    case HostPart::kSessions:
      return "sessions";
    case HostPart::kCheckpoints:
      return "checkpoints";
    case HostPart::kNativeEngine:
      return "native_engine";
    case HostPart::kComfort:
      return "comfort";
    case HostPart::kBackends:
      return "backends";
  }
  return "unknown";
}

bool is_ready(const std::vector<Finding>& findings) {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.state == FindingState::kMissing; });
}

std::string summarize(const std::vector<Finding>& findings) {
  if (auto ids = troubles(findings, HostPart::kSessions, FindingState::kMissing); !ids.empty())
    return "not ready: sessions cannot run (" + ids + ")" + first_step(findings);
  if (auto ids = troubles(findings, HostPart::kCheckpoints, FindingState::kMissing); !ids.empty())
    return "not ready: sessions cannot be checkpointed (" + ids + ")" + first_step(findings);
  auto native = troubles(findings, HostPart::kNativeEngine, FindingState::kWarning);
  std::string line = native.empty()
                         ? "ready: all engines"
                         : "ready: the criu engine; the native engine cannot work (" + native + ")";
  auto warnings = std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.state == FindingState::kWarning && finding.part != HostPart::kNativeEngine &&
           finding.part != HostPart::kBackends;
  });
  if (warnings > 0)
    line += ", with " + std::to_string(warnings) + (warnings == 1 ? " warning" : " warnings");
  return line;
}

wire::Json to_json(const std::vector<Finding>& findings) {
  wire::Json list = wire::Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"need", finding.need},
                    {"part", to_string(finding.part)},
                    {"state", to_string(finding.state)},
                    {"detail", finding.detail},
                    {"cost", finding.cost},
                    {"fix", finding.fix}});
  }
  return {{"version", 1}, {"ready", is_ready(findings)}, {"findings", std::move(list)}};
}

}  // namespace sf::waypoint
