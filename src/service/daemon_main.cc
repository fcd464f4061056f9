// statefork-daemon: serves the sessions of this host. `statefork serve` starts it, or the first
// client that finds no daemon.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

#include "backends/tools_environment.h"
#include "os/file.h"
#include "service/daemon.h"

namespace {

constexpr std::size_t kMaxToken = 4096;

// Reads the token from the file or from STATEFORK_TOKEN.
sf::Status read_token(const std::string& path, std::string& token) {
  const char* given = std::getenv("STATEFORK_TOKEN");
  if (path.empty()) {
    token = given == nullptr ? "" : given;
    return sf::Ok{};
  }
  SF_TRY_ASSIGN(token, sf::os::read_file(path, kMaxToken));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return sf::Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  sf::service::DaemonOptions options;
  options.version = SF_VERSION;
  CLI::App app{"The StateFork daemon: HTTP and JSON on a Unix socket", "statefork-daemon"};
  app.set_version_flag("--version", "statefork " SF_VERSION);
  app.add_option("--socket", options.socket_path, "Listen on this socket")
      ->type_name("PATH")
      ->required();
  app.add_option("--state", options.state_dir, "Keep the sessions' data here")
      ->type_name("DIR")
      ->required();
  app.add_option("--log", options.log_path, "Append to this file instead of standard error")
      ->type_name("FILE");
  app.add_option("--group", options.group, "Let members of this group use the socket")
      ->type_name("NAME");
  app.add_option("--listen", options.listen, "Also listen on TCP; needs a token")
      ->type_name("HOST:PORT");
  std::string token_file;
  app.add_option("--token-file", token_file, "Read the token for TCP clients from this file")
      ->type_name("FILE");
  app.add_option("--trees-ahead", options.prerestores,
                 "Nodes that are restored in advance (0: none)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, sf::service::kMostPrerestores));
  app.add_option("--ready-fd", options.ready_fd, "Descriptor that receives the result of the start")
      ->group("");
  CLI11_PARSE(app, argc, argv);
  sf::Status status = read_token(token_file, options.token);
  if (auto tools = sf::backends::tools_from_environment()) {
    options.tools = std::move(*tools);
  } else if (status.ok()) {
    status = std::move(tools).error();
  }
  if (status.ok()) status = sf::service::run_daemon(options);
  if (status.ok()) return 0;
  std::cerr << "statefork-daemon: " << status.error().describe() << '\n';
  return 1;
}
