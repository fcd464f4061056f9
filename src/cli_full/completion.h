// Completes a command line from the declared options and arguments of the subcommands. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace sf::cli {

struct Candidate {
  std::string word;
  std::string description;
};

enum class LocalFiles { kNone, kFiles, kDirectories };

struct Completion {
  std::vector<Candidate> candidates;
  LocalFiles files = LocalFiles::kNone;  // also complete these, which is left to the shell
};

// Queries names from the daemon, only when they are needed.
struct NameSource {
  // Sessions, and with `with_branches` S/BRANCH.
  std::function<std::vector<Candidate>(bool with_branches)> sessions;
  std::function<std::vector<Candidate>(const std::string& session)> nodes;
};

// `words` are the words after the program's name; the last one, perhaps empty, is to be completed.
// A shell may have split words at = and :, which are then separate words.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const NameSource& names);

// The format for the scripts: lines of "word<TAB>description", then %files or %directories.
std::string to_lines(const Completion& completion);

// For `eval`, or for the shell's directory of completions; empty for an unsupported shell.
std::string completion_script(const std::string& shell);

}  // namespace sf::cli
