#include <memory>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/daemon/program_search.h"

namespace sf::cli {
namespace {

struct ServeArguments {
  DaemonLocation location;
  std::string group;
  std::string listen;
  std::string token_file;
  std::string prerestores;
};

// Replaces this process by the daemon; returns only on an error.
Error become_daemon(const ServeArguments& arguments) {
  std::vector<std::string> words{"--socket", arguments.location.socket_path, "--state",
                                 arguments.location.state_dir};
  auto pass_on = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  pass_on("--group", arguments.group);
  pass_on("--listen", arguments.listen);
  pass_on("--token-file", arguments.token_file);
  pass_on("--trees-ahead", arguments.prerestores);
  return become_program(kDaemonProgram, words);
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command =
      app.add_subcommand("serve", "Run the daemon in the foreground, until SIGTERM");
  add_location_options(*command, arguments->location);
  command->add_option("--group", arguments->group, "Let members of this group use the socket")
      ->type_name("NAME");
  command->add_option("--listen", arguments->listen, "Also serve TCP; needs a token")
      ->type_name("HOST:PORT");
  command
      ->add_option("--token-file", arguments->token_file,
                   "Read the token for TCP clients from this file (default: STATEFORK_TOKEN)")
      ->type_name("FILE");
  command
      ->add_option("--trees-ahead", arguments->prerestores,
                   "Prerestore this many nodes (default: 2; 0 = none)")
      ->type_name("N");
  command->footer(
      "Usually not needed: a command starts a daemon if none answers.\n"
      "Sessions keep running when the daemon ends, and the next daemon takes them over.\n"
      "Example: statefork serve --listen 127.0.0.1:8471 --token-file /etc/statefork/token");
  command->callback([arguments, &exit_code] {
    print_error(become_daemon(*arguments));
    exit_code = kFailed;
  });
}

}  // namespace sf::cli
