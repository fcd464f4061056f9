#include <iostream>

#include "cli_full/full_commands.h"
#include "cli_full/man_page.h"

namespace sf::cli {

void add_man_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page");
  command->footer("Example: statefork man | man -l -");
  command->callback([&app] { std::cout << man_page(app); });
}

}  // namespace sf::cli
