#include "waypoint/plain_command.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

TEST(PlainTest, WhatTheTextSaysIsAllThatHappens) {
  for (const char* command : {"ls -l",
                              "cat a b | grep -c x",
                              "x=5",
                              "echo $x ${y}",
                              "cd /tmp && ls",
                              "if true; then pwd; fi",
                              "for i in 1 2; do echo $i; done",
                              "(cd d; exit 3)",
                              "[[ -f x ]] && echo yes",
                              "! false",
                              "echo 'a' \"b\"",
                              "X=1 make -j2 > log 2>&1",
                              "cat <<E\nhere\nE",
                              ":",
                              "",
                              "./run.sh",
                              "a.out",
                              "python3 -c 'print(1)'",
                              "echo a.b",
                              "find . -name x",
                              "make 2>&1 | tail -3",
                              "[ -f x ]",
                              "{ ls; }",
                              "ls \\\n -l"})
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
                              "~/run",
                              "command . env",
                              "builtin . env",
                              "2>&1 . env",
                              "2>&1 $cmd",
                              ">| f $cmd",
                              ">|f . env",
                              "{get,}opts v",
                              "[g]etopts v",
                              "get\\\nopts v",
                              "! . env",
                              "time . env"})
    EXPECT_FALSE(is_plain(command)) << command;
}

}  // namespace
}  // namespace sf::waypoint
