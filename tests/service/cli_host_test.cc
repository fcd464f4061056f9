// Commands besides sessions: help, numbers, completion in real shells, the manual page.
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/split.h"
#include "daemon_world.h"
#include "os/file.h"
#include "os/run_program.h"

namespace sf::test {
namespace {

// Runs a program with statefork in its PATH and the world's daemon as the default.
std::string run_beside(const std::string& socket, std::vector<std::string> argv) {
  const std::string program = SF_PROGRAM;
  const TempDir home;
  argv.insert(argv.begin(),
              {"/usr/bin/env", "PATH=" + program.substr(0, program.rfind('/')) + ":/usr/bin:/bin",
               "STATEFORK_SOCKET=" + socket, "HOME=" + home.path(), "TERM=dumb"});
  auto ran = os::run_program(argv, Deadline::after(seconds(60)));
  EXPECT_OK(ran);
  return ran ? ran->text : "";
}

std::string statefork(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "statefork");
  return run_beside("/nonexistent/socket", std::move(arguments));
}

std::vector<std::string> all_commands() {
  std::vector<std::string> names;
  for (const std::string& line : split(statefork({"__complete", ""}), '\n'))
    names.push_back(line.substr(0, line.find('\t')));
  return names;
}

TEST(CliHelpTest, EveryCommandIsListedAndHasAnExample) {
  const std::string help = statefork({"--help"});
  for (const char* group : {"Sessions:", "Branching:", "Files and terminal:", "Host:"})
    EXPECT_NE(help.find(group), std::string::npos) << help;
  const std::vector<std::string> names = all_commands();
  EXPECT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    EXPECT_NE(help.find("\n  " + name + " "), std::string::npos) << name;
    const std::string own = statefork({name, "--help"});
    EXPECT_NE(own.find("Usage: statefork " + name), std::string::npos) << own;
    EXPECT_NE(own.find("statefork"), own.rfind("statefork")) << "no example: " << own;
    for (const std::string& line : split(own, '\n')) EXPECT_LE(line.size(), 130U) << line;
  }
}

TEST(CliHelpTest, HelpDefinesTheWords) {
  const std::string help = statefork({"--help"});
  for (const char* word : {"\nA session is ", "\nA node is ", "\nA branch is "})
    EXPECT_NE(help.find(word), std::string::npos) << help;
}

TEST(CliHelpTest, DaemonOptionsComeLast) {
  for (const std::string& name : all_commands()) {
    const std::string help = statefork({name, "--help"});
    const std::size_t daemon = help.find("\nDaemon:");
    if (daemon == std::string::npos) continue;
    EXPECT_EQ(help.find(":\n  -", daemon + 9), std::string::npos) << help;
  }
}

TEST(CliHelpTest, ExecAndRunSayHowTheyDifferFromDocker) {
  for (const char* name : {"exec", "run"})
    EXPECT_NE(statefork({name, "--help"}).find("docker exec"), std::string::npos) << name;
}

TEST(CliHelpTest, EveryCommandWithOutputSupportsJson) {
  const std::set<std::string> without{"serve", "mcp", "completion", "man", "shell"};
  for (const std::string& name : all_commands()) {
    if (without.contains(name)) continue;
    EXPECT_NE(statefork({name, "--help"}).find("--json"), std::string::npos) << name;
  }
}

TEST(CliHelpTest, MalformedAddressIsAUsageErrorThatShowsTheFormat) {
  auto ran = os::run_program({SF_PROGRAM, "tree", "a/b/c"}, Deadline::after(seconds(20)));
  ASSERT_OK(ran);
  EXPECT_EQ(ran->status.shell_code(), 2);
  EXPECT_NE(ran->text.find("SESSION/BRANCH"), std::string::npos) << ran->text;
}

TEST(CliHelpTest, OutputThatCannotBeWrittenIsAFailure) {
  auto ran = os::run_program({"/bin/sh", "-c", "\"$0\" --help >/dev/full", SF_PROGRAM},
                             Deadline::after(seconds(20)));
  ASSERT_OK(ran);
  EXPECT_NE(ran->status.shell_code(), 0) << ran->text;
}

TEST(CliManTest, TheManualPageIsCleanAndNamesEveryCommand) {
  TempDir dir;
  ASSERT_OK(os::write_file(dir / "statefork.1", statefork({"man"})));
  auto ran = os::run_program({"/usr/bin/env", "LC_ALL=C.UTF-8", "MANWIDTH=100", "man", "--warnings",
                              "-l", dir / "statefork.1"},
                             Deadline::after(seconds(60)));
  ASSERT_OK(ran);
  EXPECT_EQ(ran->status.shell_code(), 0) << ran->text;
  EXPECT_EQ(ran->text.find("warning"), std::string::npos) << ran->text;
  for (const std::string& name : all_commands())
    EXPECT_NE(ran->text.find("statefork " + name), std::string::npos) << name;
}

TEST(CliStatsTest, NumbersOfOneSessionAndOfAll) {
  DaemonWorld world;
  world.output({"new", "--name", "s"});
  world.exec_output("s", "true");
  world.output({"snapshot", "s"});
  auto one = wire::Json::parse(world.output({"stats", "s", "--json"}));
  EXPECT_EQ(one["commands"], 1) << one.dump();
  EXPECT_EQ(one["nodes"], 2) << one.dump();
  auto all = wire::Json::parse(world.output({"stats", "--json"}));
  ASSERT_EQ(all["sessions"].size(), 1U) << all.dump();
  EXPECT_EQ(all["sessions"][0]["name"], "s");
  EXPECT_EQ(all["sessions"][0]["nodes"], 2);
  EXPECT_NE(world.output({"stats", "s"}).find("physical_bytes"), std::string::npos);
  EXPECT_NE(world.output({"stats"}).find("COMMANDS"), std::string::npos);
}

TEST(CliStatsTest, StatsCountPrerestoredSnapshotsOfEachSession) {
  DaemonWorld world;
  world.output({"new", "--name", "s", "--policy", "eager"});
  world.output({"new", "--name", "other", "--policy", "eager"});
  auto ready = [&] {
    std::vector<int> counts;
    for (const char* session : {"s", "other"})
      counts.push_back(
          wire::Json::parse(world.output({"stats", session, "--json"})).value("ready_refs", -1));
    return counts;
  };
  auto wait_for_ready = [&](const std::vector<int>& wanted) {
    Deadline patience = Deadline::after(seconds(20));
    while (ready() != wanted && !patience.passed()) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(ready(), wanted);
  };
  // The store prerestores two checkpoints in total; the start of a session is one.
  wait_for_ready({1, 1});
  for (const char* command : {"x=1", "x=2"}) {
    world.exec_output("s", command);
    world.output({"snapshot", "s"});
  }
  wait_for_ready({2, 0});
}

TEST(CliStatsTest, LimitsAcceptUnits) {
  DaemonWorld world;
  auto limited =
      wire::Json::parse(world.output({"new", "--ttl", "2h", "--idle", "10m", "--max-bytes", "1G",
                                      "--max-branches", "2", "--json"}));
  EXPECT_EQ(limited["ttl_s"], 7200);
  EXPECT_EQ(limited["idle_s"], 600);
  EXPECT_EQ(limited["max_bytes"], 1U << 30U);
  EXPECT_EQ(limited["max_branches"], 2);
  EXPECT_EQ(world.run({"new", "--ttl", "5 parsecs"}).status, 2);
}

TEST(CliStatsTest, GcEndsSessionsWhoseTimeIsOverAndNoOthers) {
  DaemonWorld world;
  world.output({"new", "--name", "stays"});
  EXPECT_EQ(world.output({"gc"}), "no session had reached its time limit");
  world.output({"new", "--name", "goes", "--ttl", "1"});
  wire::Json left;
  for (Deadline deadline = Deadline::after(seconds(30)); !deadline.passed();) {
    auto report = wire::Json::parse(world.output({"gc", "--json"}));
    EXPECT_TRUE(report["ended"].is_array()) << report.dump();
    left = wire::Json::parse(world.output({"ls", "--json"}))["sessions"];
    if (left.size() == 1) break;
  }
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0]["name"], "stays");
}

// How to ask each shell for completions; prints one candidate per line, without a suffix.
struct Shell {
  std::string name;
  std::vector<std::string> start;
  std::string script;  // the command line is its first argument
};

const Shell kShells[] = {
    {"bash", {"bash", "--norc", "-c"}, R"SCRIPT(
      source <(statefork completion bash)
      read -ra COMP_WORDS <<<"$1"
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _statefork
      printf '%s\n' "${COMPREPLY[@]}"
      )SCRIPT"},
    {"zsh", {"zsh", "-f", "-c"}, R"SCRIPT(
      zmodload zsh/zpty
      zpty inner zsh -f -i
      zpty -w inner 'PROMPT=; autoload -U compinit; compinit -u -D'
      zpty -w inner 'source <(statefork completion zsh); bindkey "^I" complete-word'
      zpty -w inner 'show() { print -r "LINE<$BUFFER>"; BUFFER=; }; zle -N show; bindkey "^X" show'
      zpty -w inner 'print REA""DY'
      zpty -r inner out '*READY*'
      zpty -w -n inner "$1"$'\t\C-x'
      zpty -r inner out '*LINE<*>*'
      print -rl -- ${=${out##*LINE<}%%>*}
      )SCRIPT"},
    {"fish", {"fish", "--no-config", "-c"}, R"SCRIPT(
      statefork completion fish | source
      complete -C "$argv[2]"
      )SCRIPT"},
};

std::vector<Shell> installed_shells() {
  std::vector<Shell> found;
  for (const Shell& shell : kShells) {
    if (os::exists("/usr/bin/" + shell.name) || os::exists("/bin/" + shell.name))
      found.push_back(shell);
  }
  return found;
}

class CliCompletionTest : public ::testing::TestWithParam<Shell> {
 protected:
  CliCompletionTest() {
    world_.output({"new", "--name", "workshop"});
    world_.output({"snapshot", "workshop", "--name", "before"});
    world_.output({"fork", "workshop", "--name", "branch1"});
  }

  bool completes(const std::string& line, const std::string& word) {
    std::vector<std::string> argv = GetParam().start;
    argv.insert(argv.end(), {GetParam().script, GetParam().name, line});
    const std::string text = run_beside(world_.socket(), argv);
    for (const std::string& found : split(text, '\n')) {
      if (found.substr(0, found.find('\t')) == word) return true;
    }
    ADD_FAILURE() << "'" << line << "' completes to:\n" << text;
    return false;
  }
  DaemonWorld world_;
};

INSTANTIATE_TEST_SUITE_P(Installed, CliCompletionTest, ::testing::ValuesIn(installed_shells()),
                         [](const auto& row) { return row.param.name; });

TEST_P(CliCompletionTest, CommandsOptionsAndNamesFromTheDaemonAreCompleted) {
  EXPECT_TRUE(completes("statefork snap", "snapshot"));
  EXPECT_TRUE(completes("statefork exec work", "workshop"));
  EXPECT_TRUE(completes("statefork exec workshop/br", "workshop/branch1"));
  EXPECT_TRUE(completes("statefork restore workshop bef", "before"));
  EXPECT_TRUE(completes("statefork new --pol", "--policy"));
  EXPECT_TRUE(completes("statefork new --policy sm", "smart"));
}

TEST(CliCompletionOfflineTest, CommandsAreCompletedWithoutStartingADaemon) {
  EXPECT_EQ(statefork({"__complete", "snap"}).substr(0, 8), "snapshot");
  EXPECT_EQ(statefork({"__complete", "exec", ""}), "");
  EXPECT_NE(statefork({"completion", "tcsh"}).find("bash, zsh or fish"), std::string::npos);
}

}  // namespace
}  // namespace sf::test
