#include "backends/backend_entry.h"
#include "backends/gvisor/gvisor_substrate.h"
#include "backends/hosted/hosted_backend.h"
#include "backends/hosted/tool_search.h"
#include "os/run_program.h"

namespace sf::backends {
namespace {

constexpr const char* kOwnLocation = "/opt/statefork/gvisor/bin";

Result<std::string> find_runsc(const HostContext& around) {
  if (!around.tools.runsc.empty()) return around.tools.runsc;
  return find_program(
      "runsc", "install gVisor (package runsc of Debian 13), or set STATEFORK_RUNSC", kOwnLocation);
}

Status usable(const HostContext& around) {
  SF_TRY(check_agent(around));
  SF_TRY_ASSIGN(std::string runsc, find_runsc(around));
  SF_TRY_ASSIGN(os::ProgramOutput shown,
                os::run_program({runsc, "--version"}, Deadline::after(seconds(20))));
  if (!shown.succeeded())
    return fail(ErrorCode::kUnsupported, runsc + " does not run: " + shown.text);
  return Ok{};
}

Result<std::unique_ptr<control::Backend>> make(const HostContext& around) {
  SF_TRY_ASSIGN(std::string runsc, find_runsc(around));
  SF_TRY_ASSIGN(std::string agent, kept_agent(around));
  const std::string directory = around.state_dir + "/gvisor";
  auto substrate = std::make_unique<GvisorSubstrate>(GvisorOptions{runsc, agent, directory});
  return std::unique_ptr<control::Backend>(
      std::make_unique<HostedBackend>(std::move(substrate), directory + "/records"));
}

}  // namespace

BackendEntry gvisor_entry() {
  return {.name = "gvisor",
          .summary = "gVisor sandboxes; a snapshot is a checkpoint of the whole sandbox",
          .preserves = control::Preserves::everything(),
          .usable = usable,
          .make = make};
}

}  // namespace sf::backends
