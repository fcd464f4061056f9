// statefork-daemon: serves the sessions of this host. Started by `statefork serve`, or by the first
// client that finds none.
#include <CLI/CLI.hpp>
#include <iostream>

#include "service/daemon.h"

int main(int argc, char** argv) {
  sf::service::DaemonOptions options;
  options.version = SF_VERSION;
  CLI::App app{"The StateFork daemon: HTTP and JSON on a Unix socket", "statefork-daemon"};
  app.set_version_flag("--version", "statefork " SF_VERSION);
  app.add_option("--socket", options.socket_path, "Where to listen")->type_name("PATH")->required();
  app.add_option("--state", options.state_dir, "Directory for everything that is kept")
      ->type_name("DIR")
      ->required();
  app.add_option("--log", options.log_path, "Append to this file instead of standard error")
      ->type_name("FILE");
  app.add_option("--ready-fd", options.ready_fd, "Descriptor to be told when it is ready")
      ->group("");
  CLI11_PARSE(app, argc, argv);
  sf::Status status = sf::service::run_daemon(options);
  if (status.ok()) return 0;
  std::cerr << "statefork-daemon: " << status.error().describe() << '\n';
  return 1;
}
