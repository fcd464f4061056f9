// CommandLine: the command line of `statefork` and `statefork-full`. Has the table of all commands,
// in the order of the help. Commands that need only the daemon are part of this layer; the program
// passes in the others.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sf::cli {

// The option parser splits a word in [brackets] into several. CommandLine puts this character
// before such words of `keys`, and before words that begin with it; keys_command.cc removes it.
inline constexpr char kWholeWord = '\x01';

using AddCommand = void (*)(CLI::App& app, int& exit_code);

struct NamedCommand {
  std::string_view name;
  AddCommand add;
};

// True if the command needs only the daemon.
bool is_client_command(std::string_view name);

class CommandLine {
 public:
  // Declares the command that `argv` names, or all commands if it names none (--help).
  // `others`: the table's commands that are not part of this layer.
  CommandLine(int argc, char** argv, std::span<const NamedCommand> others);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  const CLI::App& app() const { return app_; }
  // Carries out the command; returns the exit status.
  int run();

 private:
  void add_commands(std::string_view named, std::span<const NamedCommand> others);

  std::vector<std::string> arguments_;  // before `--`
  std::vector<std::string> words_;      // after it
  bool has_words_ = false;
  int exit_code_ = 0;
  CLI::App app_;
};

}  // namespace sf::cli
