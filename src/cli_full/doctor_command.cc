#include <iostream>
#include <memory>

#include "backends/backend_findings.h"
#include "backends/tools_environment.h"
#include "cli_full/doctor_report.h"
#include "cli_full/full_commands.h"
#include "waypoint/host/doctor.h"

namespace sf::cli {
namespace {

struct DoctorArguments {
  waypoint::DoctorOptions options;
  bool json = false;
};

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Check this machine for everything that sessions need, and show how to fix the rest");
  command->add_flag("--json", arguments->json, "Print JSON: version, ready, findings");
  command
      ->add_option("--store", arguments->options.store_dir,
                   "Check this directory for files and checkpoints")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--criu", arguments->options.criu_path,
                   "Check this criu program (default: the one that sessions use)")
      ->type_name("PATH");
  command->footer("Exit status: 0 if sessions can run and be checkpointed here, 1 if not.");
  command->callback([arguments, &exit_code] {
    auto findings = waypoint::examine_host(arguments->options);
    const bool ready = waypoint::is_ready(findings);
    if (auto tools = backends::tools_from_environment()) {
      for (waypoint::Finding& finding : backends::backend_findings(*tools, ""))
        findings.push_back(std::move(finding));
    }
    if (arguments->json) {
      // Paths may have bytes that are not UTF-8, which JSON does not allow.
      using Handler = wire::Json::error_handler_t;
      std::cout << waypoint::to_json(findings).dump(2, ' ', false, Handler::replace) << '\n';
    } else {
      std::cout << doctor_report(findings);
    }
    exit_code = ready ? 0 : 1;
  });
}

}  // namespace sf::cli
