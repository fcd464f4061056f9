#include "waypoint/shell_look.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

std::string look_text(const std::string& state, const std::string& loud = "") {
  return state +
         "declare -a BASH_ARGC=([0]=\"0\")\ndeclare -a BASH_ARGV=()\ndeclare -a "
         "BASH_LINENO=([0]=\"7\")\ndeclare -- LINENO=\"7\"\ndeclare -- X=\"1\"\n''\n@1 loud\n" +
         loud +
         "\n@1 line\n7\n@1 last\nthe word\n@1 hashed\nbuiltin hash -p /usr/bin/ls ls\nbuiltin hash "
         "-p "
         "/bin/cat cat\n\n@1 hits\nhits\tcommand\n   3\t/usr/bin/ls\n   1\t/bin/cat\n\n@1 end\n";
}

TEST(ShellLookTest, KeepsApartWhatEveryCommandMoves) {
  auto look = parse_look(look_text("declare -- A=\"0\"\n"), "@1");
  ASSERT_TRUE(look.has_value());
  EXPECT_EQ(look->state, "\ndeclare -- A=\"0\"\ndeclare -- X=\"1\"\n''");
  EXPECT_EQ(look->line, 7);
  EXPECT_EQ(look->last_word, "the word");
  EXPECT_EQ(look->programs,
            (std::vector<FoundProgram>{{"ls", "/usr/bin/ls", 3}, {"cat", "/bin/cat", 1}}));
}

TEST(ShellLookTest, IsNoneWhenTheShellActsAtItsPromptOrHidesSomething) {
  EXPECT_FALSE(parse_look(look_text("", "x"), "@1"));
  // A value that looks like the line that is left out.
  EXPECT_FALSE(parse_look(look_text("declare -- A=\"\ndeclare -- LINENO=\"9\"\n\"\n"), "@1"));
  EXPECT_FALSE(parse_look(look_text(""), "@2"));
  std::string text = look_text("");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_look(text.substr(0, size), "@1")) << size;
}

TEST(ShellLookTest, IsNoneWhenTheTwoListingsOfProgramsDisagree) {
  std::string text = look_text("");
  text.replace(text.find("   3\t/usr/bin/ls"), 16, "   3\t/opt/ls");
  EXPECT_FALSE(parse_look(text, "@1"));
}

TEST(PlainTest, WhatTheTextSaysIsAllThatHappens) {
  for (const char* command :
       {"ls -l", "cat a b | grep -c x", "x=5", "echo $x ${y}", "cd /tmp && ls",
        "if true; then pwd; fi", "for i in 1 2; do echo $i; done", "(cd d; exit 3)",
        "[[ -f x ]] && echo yes", "! false", "echo 'a' \"b\"", "X=1 make -j2 > log 2>&1",
        "cat <<E\nhere\nE", ":", "", "./run.sh", "a.out", "python3 -c 'print(1)'", "echo a.b"})
    EXPECT_TRUE(is_plain(command)) << command;
  for (const char* command : {"getopts v o",
                              "builtin getopts v o",
                              "\"get\"opts v",
                              "get\\opts v",
                              ". ./env",
                              "ls; . env",
                              "source env",
                              "eval ls",
                              "SECONDS=0",
                              "BASH_ARGV0=x",
                              "bind -x a",
                              "enable -f x y",
                              "exec 3<f",
                              "history -c",
                              "HISTFILE=x",
                              "LINENO=7",
                              "$cmd a",
                              "x; $(echo ls)",
                              "`which ls`",
                              "x=1 $cmd",
                              "> f $cmd",
                              "if $x; then :; fi",
                              "l*",
                              "~/run"})
    EXPECT_FALSE(is_plain(command)) << command;
}

TEST(CatchUpTest, QuotesWhatTheUserTyped) {
  CatchUp missed{.last_word = "it's", .commands = {"echo 'a'"}, .programs = {{"ls", "/a b/ls", 2}}};
  EXPECT_EQ(catch_up_text(missed),
            "__wp_last='it'\\''s'\nbuiltin history -s -- 'echo '\\''a'\\'''\nbuiltin hash -r\n"
            "builtin hash -p '/a b/ls' 'ls'\nbuiltin hash -t 'ls'\nbuiltin hash -t 'ls'\n");
}

}  // namespace
}  // namespace sf::waypoint
