#include "backends/backend_findings.h"

#include <algorithm>

#include "waypoint/host/host_programs.h"

namespace sf::backends {

using waypoint::Finding;
using waypoint::FindingState;

std::vector<Finding> backend_findings(const Tools& tools, const std::string& helper_dir) {
  HostContext around;
  around.tools = tools;
  around.agent = waypoint::look_for_helpers(helper_dir).dir + "/statefork-agent";
  std::vector<Finding> findings;
  for (const BackendEntry& entry :
       {gvisor_entry(), vm_entry(), podman_entry(), docker_entry(), podman_commit_entry()}) {
    Finding finding{.id = "backend_" + entry.name,
                    .need = "--backend " + entry.name,
                    .part = waypoint::HostPart::kBackends,
                    .detail = "usable"};
    std::ranges::replace(finding.id, '-', '_');
    if (Status usable = entry.usable(around); !usable) {
      finding.state = FindingState::kWarning;
      finding.detail = usable.error().message;
      finding.cost = "sessions with --backend " + entry.name;
      finding.fix = usable.error().hint;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace sf::backends
