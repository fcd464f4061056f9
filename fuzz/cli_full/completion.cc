// Shell completion of any command line: each candidate fits on one line.
#include "cli_full/completion.h"

#include "base/split.h"
#include "input.h"

namespace sf::fuzz {
namespace {

// Has enough kinds of arguments to exercise every rule.
struct Program {
  Program() {
    CLI::App* exec = app.add_subcommand("exec", "Run");
    exec->add_option("S", text)->type_name("S")->required();
    exec->add_option("COMMAND", text);
    exec->add_option("-t,--timeout", text)->type_name("SECONDS");
    exec->add_flag("--json", flag);
    CLI::App* diff = app.add_subcommand("diff", "Compare");
    diff->add_option("S", text)->type_name("S")->required();
    diff->add_option("A", text)->type_name("NODE");
    CLI::App* made = app.add_subcommand("new", "Start");
    made->add_option("ROOT", text)->type_name("DIR");
    made->add_option("--policy", text)->type_name("eager|lazy|smart");
    CLI::App* cp = app.add_subcommand("cp", "Copy");
    cp->add_option("SRC", text)->type_name("S:FILE")->required();
    cp->add_option("DST", text)->type_name("S:FILE")->required();
  }

  CLI::App app{"", "statefork"};
  std::string text;
  bool flag = false;
};

}  // namespace

void completion(std::string_view input) {
  using cli::Candidate;
  static const Program kProgram;
  const cli::NameSource names{[](bool with_branches) {
                                std::vector<Candidate> found{{"work", ""}, {"other", ""}};
                                if (with_branches) found.push_back({"work/b1", ""});
                                return found;
                              },
                              [](const std::string&) {
                                return std::vector<Candidate>{{"HEAD", ""}, {"n1", "a node"}};
                              }};
  cli::Completion found = cli::complete(kProgram.app, split(input, '\n'), names);
  for (const Candidate& one : found.candidates) {
    SF_CHECK(!one.word.empty());
    SF_CHECK(one.word.find_first_of("\n\t") == std::string::npos);
  }
  std::string lines = cli::to_lines(found);
  SF_CHECK(lines.empty() || lines.back() == '\n');
}

}  // namespace sf::fuzz
