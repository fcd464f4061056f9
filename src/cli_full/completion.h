// What could stand next on a command line, from the options and arguments that the subcommands have
// declared. Pure.
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
  LocalFiles files = LocalFiles::kNone;  // these, too; the shell knows them better
};

// Names that only the daemon knows; asked for when they are needed.
struct NameSource {
  // Sessions, and with `with_branches` S/BRANCH.
  std::function<std::vector<Candidate>(bool with_branches)> sessions;
  std::function<std::vector<Candidate>(const std::string& session)> nodes;
};

// `words` are those after the program's name; the last one, which may be empty, is being written.
// A shell may have cut words at = and :, which then stand alone.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const NameSource& names);

// "word<TAB>description" in each line, then %files or %directories: what the scripts read.
std::string to_lines(const Completion& completion);

// For `eval`, or for the shell's directory of completions; empty for a shell we do not know.
std::string completion_script(const std::string& shell);

}  // namespace sf::cli
