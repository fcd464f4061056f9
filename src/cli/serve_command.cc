#include <unistd.h>

#include <memory>

#include "cli/command_frame.h"
#include "cli/session_commands.h"
#include "os/error.h"

namespace sf::cli {
namespace {

struct ServeArguments {
  DaemonPlace place;
  std::string group;
  std::string listen;
  std::string token_file;
  std::string trees_ahead;
};

// Becomes the daemon; returns only when that fails.
Error become_daemon(const ServeArguments& arguments) {
  auto program = daemon_program();
  if (!program) return std::move(program).error();
  std::vector<std::string> words{*program, "--socket", arguments.place.socket_path, "--state",
                                 arguments.place.state_dir};
  auto pass_on = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  pass_on("--group", arguments.group);
  pass_on("--listen", arguments.listen);
  pass_on("--token-file", arguments.token_file);
  pass_on("--trees-ahead", arguments.trees_ahead);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program->c_str(), argv.data());
  return os::last_error("starting " + *program);
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command =
      app.add_subcommand("serve", "Run the daemon here, in the foreground, until SIGTERM");
  add_place_options(*command, arguments->place);
  command->add_option("--group", arguments->group, "Group whose members may use the socket")
      ->type_name("NAME");
  command->add_option("--listen", arguments->listen, "Serve TCP, too; needs a token")
      ->type_name("HOST:PORT");
  command
      ->add_option("--token-file", arguments->token_file,
                   "File with the token that TCP clients must show (default: STATEFORK_TOKEN)")
      ->type_name("FILE");
  command
      ->add_option("--trees-ahead", arguments->trees_ahead,
                   "Nodes that stand ready before anybody goes back there (default: 2); 0: nothing "
                   "is done ahead")
      ->type_name("N");
  command->footer(
      "Not needed as a rule: the first command that finds no daemon starts one.\n"
      "Sessions live on when the daemon ends, and the next one finds them.\n"
      "Example: statefork serve --listen 127.0.0.1:8471 --token-file /etc/statefork/token");
  command->callback([arguments, &exit_code] {
    print_error(become_daemon(*arguments));
    exit_code = kFailed;
  });
}

}  // namespace sf::cli
