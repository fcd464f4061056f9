#include "shell/shell_protocol.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "os/process.h"
#include "shell/shell_fingerprint.h"
#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

using Kind = Record::Kind;

constexpr pid_t kLargestPid = 4194304;  // the kernel's PID_MAX_LIMIT on 64 bits
constexpr long kLargestNumber = std::numeric_limits<long>::max();

bool is_valid_bash(const std::string& text) {
  auto child = os::spawn({.argv = {"/bin/bash", "-n", "-c", text}});
  EXPECT_OK(child);
  auto status = child->wait(Deadline::after(seconds(30)));
  EXPECT_OK(status);
  return status->shell_code() == 0;
}

// The status that the shell's side of the protocol would report; -1 if the command does not end.
int evaluated_status(const std::string& command) {
  auto child = os::spawn(
      {.argv = {"/bin/bash", "-c", R"(eval "$1"; exit "${__wp_tail-$?}")", "bash", command}});
  EXPECT_OK(child);
  auto status = child->wait(Deadline::after(seconds(5)));
  return status.ok() ? status->shell_code() : -1;
}

TEST(ParseRecordTest, EveryRecordKindIsParsedWithItsNumbers) {
  struct Case {
    const char* line;
    Kind kind;
    std::vector<long> numbers;
    const char* text = "";
  };
  const Case cases[] = {
      {"B 7 ", Kind::kLoad, {7}},
      {"B 7 x,wp:xv", Kind::kLoad, {7}, "x,wp:xv"},
      {"R 7 names", Kind::kRefused, {7}, "names"},
      {"S 7", Kind::kStart, {7}},
      {"E 7 0", Kind::kEnd, {7, 0}},
      {"E 7 255", Kind::kEnd, {7, 255}},
      {"L 12", Kind::kShell, {12}},
      {"A 4194304", Kind::kHolder, {4194304}},
      {"P 1 20 5 6 7", Kind::kPiped, {1, 20, 5, 6, 7}},
      {"X 20 256", Kind::kExited, {20, 256}},
      {"F 1 2 exec", Kind::kFailed, {1, 2}, "exec"},
      {"F 1 2 open terminal", Kind::kFailed, {1, 2}, "open terminal"},
      {"D", Kind::kServed, {}},
  };
  for (const Case& each : cases) {
    std::optional<Record> record = parse_record(each.line);
    ASSERT_TRUE(record) << each.line;
    EXPECT_EQ(record->kind, each.kind) << each.line;
    EXPECT_EQ(record->numbers, each.numbers) << each.line;
    EXPECT_EQ(record->text, each.text) << each.line;
  }
}

TEST(ParseRecordTest, OtherLinesAreNotRecords) {
  for (std::string_view line : {"",
                                " ",
                                "Z",
                                "b",
                                "Start",
                                "SS",
                                "E",
                                "E ",
                                "E x",
                                "B",
                                "S",
                                "E 1",
                                "E 1 2 3",
                                "E1",
                                "E 1x",
                                "E  1",
                                " E 1",
                                "L",
                                "X 1",
                                "X 1 2 3",
                                "P 1 2 3 4",
                                "P 1 2 3 4 5 6",
                                "F 1",
                                "F exec",
                                "hello world",
                                "E 99999999999999999999",
                                "E \xff",
                                "\xff",
                                "\n"})
    EXPECT_FALSE(parse_record(line)) << line;
  EXPECT_FALSE(parse_record(std::string_view("E\0 1", 4)));
}

TEST(ParseRecordTest, GarbageNeverYieldsARecordWithMissingNumbers) {
  constexpr std::string_view kSigns = "BSELAPXDF 0123456789-x\xff";
  const std::map<Kind, std::size_t> counts = {
      {Kind::kLoad, 1},   {Kind::kStart, 1},  {Kind::kEnd, 2},
      {Kind::kShell, 1},  {Kind::kHolder, 1}, {Kind::kPiped, 5},
      {Kind::kExited, 2}, {Kind::kFailed, 2}, {Kind::kServed, 0}};
  std::mt19937 random(7);
  for (int round = 0; round < 50'000; ++round) {
    std::string line(random() % 16, '\0');
    for (char& c : line)
      c = random() % 50 == 0 ? static_cast<char>(random()) : kSigns[random() % kSigns.size()];
    std::optional<Record> record = parse_record(line);
    if (record) {
      EXPECT_EQ(record->numbers.size(), counts.at(record->kind)) << line;
    }
  }
}

TEST(CanTakeTailTest, CompleteCommandCanTakeTheTail) {
  for (const char* command : {"", " ", "\n", "true", "true;", "true &", "sleep 1 & ",
                              "echo a # note", "(exit 3)", "{ a; }", "if true; then echo a; fi",
                              "f() { :; }", "cd /tmp\n", "a && b", "a | b", "echo '&'", "\t"})
    EXPECT_TRUE(can_take_tail(command)) << command;
}

TEST(CanTakeTailTest, UnfinishedCommandCannotTakeTheTail) {
  for (const char* command :
       {"cat <<E", "cat <<E\nx\nE\n", "cat <<-'E'", "cat <<<word", "echo a \\", "echo a \\\n",
        "a |", "a | ", "a ||", "a &&", "a && \n", "\\"})
    EXPECT_FALSE(can_take_tail(command)) << command;
}

// With the tail, bash must still refuse an incomplete or invalid command.
TEST(CanTakeTailTest, TailDoesNotChangeTheStatusOfACommand) {
  for (std::string command : {"echo a",
                              "echo a |&",
                              "for i in 1 2",
                              "for i",
                              "for ((;;))",
                              "select x in a",
                              "f()",
                              "function f",
                              "echo ${x-",
                              "[[ a",
                              "echo \"a",
                              "echo 'a",
                              "echo $(date",
                              "echo `date",
                              "echo $((1",
                              "if true; then",
                              "while true",
                              "case x in",
                              "{",
                              "(",
                              "coproc X",
                              "time",
                              "!",
                              "echo a;",
                              "echo a &",
                              ")",
                              "}",
                              "fi",
                              "a;;",
                              "(exit 3)"}) {
    if (!can_take_tail(command)) continue;
    EXPECT_EQ(evaluated_status(command + "\n" + std::string(kTailLine)), evaluated_status(command))
        << command;
  }
}

// Otherwise a user's function or alias of the same name would run instead.
TEST(ProtocolScriptTest, EveryCommandIsCalledWithBuiltin) {
  static const std::set<std::string> kBuiltins = {
      "echo", "read",    ":",     "history", "printf",   "unset", "return",
      ".",    "enable",  "shopt", "trap",    "complete", "umask", "ulimit",
      "dirs", "declare", "alias", "hash",    "mapfile",  "set"};
  std::istringstream lines(protocol_script(1));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "while" || word == "if") words >> word;
    if (word.starts_with("IFS=") || word.starts_with("HISTTIMEFORMAT=")) words >> word;
    if (word == "case" || word == "esac" || word == ";;" || word.ends_with(")") || word == "load" ||
        word == "end" || word == "else" || word == "fi" || word == "{" || word == "}" ||
        word.starts_with("__wp_"))
      continue;
    ASSERT_EQ(word, "builtin") << line;
    words >> word;
    EXPECT_TRUE(kBuiltins.contains(word)) << line;
  }
}

TEST(ProtocolScriptTest, EveryTextIsValidBashWithoutPlaceholders) {
  for (const std::string& text :
       {protocol_script(kLargestPid), shell_rc_file(),
        run_line(kLargestPid, kLargestNumber, "true"), run_line(kLargestPid, kLargestNumber, "a |"),
        run_line(kLargestPid, kLargestNumber, "true", RunBy::kEval, "@18446744073709551615"),
        catch_up_lines(kLargestPid, kLargestNumber, CatchUp{.lines = 2}),
        report_line(kLargestPid, kLargestNumber), ask_line(kLargestPid, kLargestNumber),
        enter_line(kLargestPid, kLargestNumber), plain_line(kLargestPid, kLargestNumber),
        plain_line(kLargestPid, kLargestNumber, false),
        run_line(kLargestPid, kLargestNumber, "set -o vi", RunBy::kSource),
        std::string(kTailLine)}) {
    EXPECT_TRUE(is_valid_bash(text)) << text;
    EXPECT_FALSE(std::regex_search(text, std::regex("@[A-Z]+@"))) << text;
  }
}

TEST(ProtocolScriptTest, ScriptContainsTheTailLineOfTheDriver) {
  EXPECT_NE(protocol_script(1).find(kTailLine), std::string::npos);
}

TEST(ProtocolScriptTest, PathsUseTheHoldersPid) {
  EXPECT_NE(protocol_script(77).find("/proc/77/fd/"), std::string::npos);
  EXPECT_EQ(protocol_script(77).find("/proc/1/"), std::string::npos);
}

TEST(TypedLineTest, EveryTypedLineFitsTheTerminalAndHasOneLineEnd) {
  for (const std::string& line :
       {run_line(kLargestPid, kLargestNumber, "true"),
        run_line(kLargestPid, kLargestNumber, "true", RunBy::kEval, "@18446744073709551615"),
        run_line(kLargestPid, kLargestNumber, std::string(1 << 20, 'x')),
        run_line(1, 7, "echo 'a\nb' |"), report_line(kLargestPid, kLargestNumber),
        enter_line(kLargestPid, kLargestNumber), plain_line(kLargestPid, kLargestNumber)}) {
    EXPECT_LT(line.size(), 4096U);  // N_TTY_BUF_SIZE: a longer line would be cut
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_EQ(line.front(), ' ') << "HISTCONTROL=ignorespace keeps it out of the history";
  }
}

TEST(TypedLineTest, CommandTextIsNeverTyped) {
  EXPECT_EQ(run_line(1, 7, "a-word-of-the-command").find("a-word"), std::string::npos);
}

TEST(TypedLineTest, CommandIsSourcedIfRequested) {
  EXPECT_NE(run_line(1, 7, "f", RunBy::kSource).find(" source"), std::string::npos);
  EXPECT_EQ(run_line(1, 7, "f", RunBy::kEval).find(" source"), std::string::npos);
}

TEST(SwitchesEditingTest, CommandsThatMaySwitchTheEditorAreDetected) {
  for (const char* command : {"set -o vi", "set +o emacs", "true; set -o emacs", "eval 'set -o vi'",
                              "f() { set -o vi; }", "m=vi; set -o $m"})
    EXPECT_TRUE(switches_editing(command)) << command;
  for (const char* command : {"vi notes", "set -e", "emacs set.txt", "echo reset vi"})
    EXPECT_FALSE(switches_editing(command)) << command;
}

TEST(SwitchesEditingTest, OnlyDefinitionsAffectLaterCommands) {
  for (const char* command : {"f() { set -o vi; }", "function f { set -o emacs; }",
                              "alias e='set -o emacs'", "m=vi; set -o $m"})
    EXPECT_TRUE(defines_editing_switch(command)) << command;
  for (const char* command : {"set -o vi", "f() { vi notes; }", "alias v=vi"})
    EXPECT_FALSE(defines_editing_switch(command)) << command;
}

TEST(TypedLineTest, CommandThatCannotTakeTheTailIsLoadedWithoutIt) {
  EXPECT_NE(run_line(1, 7, "true").find(" load_tail "), std::string::npos);
  EXPECT_EQ(run_line(1, 7, "cat <<E").find(" load_tail "), std::string::npos);
  EXPECT_NE(run_line(1, 7, "cat <<E").find(" load "), std::string::npos);
}

}  // namespace
}  // namespace sf::waypoint
