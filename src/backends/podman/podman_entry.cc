#include "backends/backend_entry.h"
#include "backends/hosted/hosted_backend.h"
#include "backends/hosted/tool_search.h"
#include "backends/hosted/unfinished_files.h"
#include "backends/podman/podman_substrate.h"
#include "os/file.h"

namespace sf::backends {
namespace {

using Keep = PodmanOptions::Keep;

Result<PodmanTool> find_tool(const HostContext& around) {
  return PodmanTool::find(around.tools.podman_config, around.tools.podman_storage_config);
}

Status usable(const HostContext& around, Keep keep) {
  SF_TRY(check_agent(around));
  SF_TRY_ASSIGN(PodmanTool tool, find_tool(around));
  if (keep == Keep::kWhole && !tool.has_criu())
    return fail(ErrorCode::kNotFound, "podman cannot find CRIU",
                "`statefork doctor` shows how to install it");
  SF_TRY(tool.ask({"info", "--format", "{{.Host.OCIRuntime.Name}}"}));
  return Ok{};
}

BackendEntry entry(std::string name, std::string summary, Keep keep,
                   const control::Preserves& preserves) {
  return {
      .name = name,
      .summary = std::move(summary),
      .preserves = preserves,
      .usable = [keep](const HostContext& around) { return usable(around, keep); },
      .make = [name, keep](const HostContext& around) -> Result<std::unique_ptr<control::Backend>> {
        SF_TRY_ASSIGN(PodmanTool tool, find_tool(around));
        SF_TRY_ASSIGN(std::string agent, kept_agent(around));
        const std::string directory = around.state_dir + "/" + name;
        // Without CAP_SYS_RESOURCE, CRIU may not read the limits of other users' processes.
        if (keep == Keep::kWhole && tool.has_criu() && !around.criu_shim.empty())
          SF_TRY(tool.preload_into_criu(around.criu_shim, directory + "/bin"));
        remove_drafts(directory + "/kept");
        auto substrate = std::make_unique<PodmanSubstrate>(
            std::move(tool),
            PodmanOptions{keep, agent, around.owner + "-" + name, directory + "/kept"});
        return std::unique_ptr<control::Backend>(
            std::make_unique<HostedBackend>(std::move(substrate), directory));
      }};
}

}  // namespace

BackendEntry podman_entry() {
  return entry("podman", "Podman containers; a snapshot is a CRIU checkpoint with changed files",
               Keep::kWhole, control::Preserves::everything());
}

BackendEntry podman_commit_entry() {
  return entry("podman-commit",
               "Podman containers; a snapshot is a committed image, which holds only files",
               Keep::kCommitted, control::Preserves::kFiles);
}

}  // namespace sf::backends
