#include "backends/gvisor/gvisor_entry.h"

#include "backends/agent/agent_backend.h"
#include "backends/gvisor/gvisor_substrate.h"
#include "base/split.h"
#include "os/file.h"
#include "os/run_program.h"

namespace sf::backends {
namespace {

constexpr const char* kPlaces =
    "/opt/statefork/gvisor/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

Result<std::string> find_runsc(const Surroundings& around) {
  if (!around.tools.runsc.empty()) return around.tools.runsc;
  for (const std::string& directory : split(kPlaces, ':')) {
    if (os::exists(directory + "/runsc")) return directory + "/runsc";
  }
  return fail(ErrorCode::kNotFound, "there is no runsc",
              "install gVisor (package runsc of Debian 13), or set STATEFORK_RUNSC");
}

Status usable(const Surroundings& around) {
  if (!os::exists(around.agent))
    return fail(ErrorCode::kNotFound, around.agent + " is missing",
                "install it beside `statefork`");
  SF_TRY_ASSIGN(std::string runsc, find_runsc(around));
  SF_TRY_ASSIGN(os::ProgramOutput shown,
                os::run_program({runsc, "--version"}, Deadline::after(seconds(20))));
  if (!shown.succeeded())
    return fail(ErrorCode::kUnsupported, runsc + " does not run: " + shown.text);
  return Ok{};
}

Result<std::unique_ptr<control::Backend>> make(const Surroundings& around) {
  SF_TRY_ASSIGN(std::string runsc, find_runsc(around));
  const std::string directory = around.state_dir + "/gvisor";
  auto substrate = std::make_unique<GvisorSubstrate>(GvisorOptions{runsc, around.agent, directory});
  return std::unique_ptr<control::Backend>(
      std::make_unique<AgentBackend>(std::move(substrate), directory + "/records"));
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
