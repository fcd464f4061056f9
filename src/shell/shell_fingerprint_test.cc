#include "shell/shell_fingerprint.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

std::string fingerprint_text(const std::string& state, const std::string& loud = "") {
  return state +
         "declare -a BASH_ARGC=([0]=\"0\")\ndeclare -a BASH_ARGV=()\ndeclare -a "
         "BASH_LINENO=([0]=\"7\")\ndeclare -- LINENO=\"7\"\ndeclare -- X=\"1\"\n''\n@1 loud\n" +
         loud +
         "\n@1 line\n7\n@1 last\nthe word\n@1 hashed\nbuiltin hash -p /usr/bin/ls ls\nbuiltin hash "
         "-p "
         "/bin/cat cat\n\n@1 hits\nhits\tcommand\n   3\t/usr/bin/ls\n   1\t/bin/cat\n\n@1 times\n  "
         "  6  @1:1700000001:echo 'a\nb'\n    7  @1:1700000002:ls\n\n@1 end\n";
}

TEST(ShellFingerprintTest, StateExcludesValuesThatEveryCommandChanges) {
  auto fingerprint = parse_fingerprint(fingerprint_text("declare -- A=\"0\"\n"), "@1");
  ASSERT_TRUE(fingerprint.has_value());
  EXPECT_EQ(fingerprint->state, "\ndeclare -- A=\"0\"\ndeclare -- X=\"1\"\n''");
  EXPECT_EQ(fingerprint->line, 7);
  EXPECT_EQ(fingerprint->last_word, "the word");
  EXPECT_EQ(fingerprint->programs,
            (std::vector<FoundProgram>{{"ls", "/usr/bin/ls", 3}, {"cat", "/bin/cat", 1}}));
  EXPECT_EQ(fingerprint->times, (std::vector<long>{1700000001, 1700000002}));
}

TEST(ShellFingerprintTest, AmbiguousOrTruncatedTextHasNoFingerprint) {
  // A value contains a line like a location variable's.
  EXPECT_FALSE(
      parse_fingerprint(fingerprint_text("declare -- A=\"\ndeclare -- LINENO=\"9\"\n\"\n"), "@1"));
  EXPECT_FALSE(parse_fingerprint(fingerprint_text(""), "@2"));
  std::string text = fingerprint_text("");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_fingerprint(text.substr(0, size), "@1")) << size;
}

TEST(ShellFingerprintTest, FingerprintIsRefusedIfTheProgramListingsDisagree) {
  std::string text = fingerprint_text("");
  text.replace(text.find("   3\t/usr/bin/ls"), 16, "   3\t/opt/ls");
  EXPECT_FALSE(parse_fingerprint(text, "@1"));
}

TEST(ShellFingerprintTest, HistorySettingsTellWhetherEveryCommandIsRecorded) {
  auto records = [](const std::string& state) {
    auto fingerprint = parse_fingerprint(fingerprint_text(state), "@1");
    return fingerprint && records_every_command(*fingerprint);
  };
  EXPECT_TRUE(records("declare -- HISTSIZE=\"500\"\nset +o history\n"));
  for (const char* state :
       {"declare -x HISTCONTROL=\"ignoreboth\"\n", "declare -- HISTIGNORE=\"ls\"\n",
        "declare -- histchars=\"!^%\"\n", "set -o history\n"})
    EXPECT_FALSE(records(state)) << state;
}

TEST(CatchUpTest, TextFitsAHistoryFileIfBashReadsItBackUnchanged) {
  for (const char* text : {"ls", "echo 'a\nb'", "# a comment", "ls\n#c", "#"})
    EXPECT_TRUE(fits_history_file(text)) << text;
  for (const char* text : {"", "ls\n", "\nls", "a\n\nb", "#1", "a\n#2 b", "a\r", "a\r\nb"})
    EXPECT_FALSE(fits_history_file(text)) << text;
}

TEST(CatchUpTest, EntriesWithTimesAreReadFromAFileAndCountAsSessionLines) {
  CatchUp missed{.commands = {"ls", "it's"}, .times = {11, 12}};
  const std::string text = catch_up_text(missed);
  EXPECT_NE(text.find("printf '#%s\\n%s\\n' 11 'ls' 12 'it'\\''s' >|\"$1\"\n"), std::string::npos);
  std::size_t counted = 0;
  for (std::size_t at = text.find("history -s"); at != std::string::npos; ++counted)
    at = text.find("history -s", at + 1);
  EXPECT_EQ(counted, 3U);  // the script removes one of the three
}

TEST(CatchUpTest, UserTextIsQuoted) {
  CatchUp missed{.last_word = "it's", .commands = {"echo 'a'"}, .programs = {{"ls", "/a b/ls", 2}}};
  EXPECT_EQ(catch_up_text(missed),
            "__wp_last='it'\\''s'\nbuiltin history -s -- 'echo '\\''a'\\'''\nbuiltin hash -r\n"
            "builtin hash -p '/a b/ls' 'ls'\nbuiltin hash -t 'ls'\nbuiltin hash -t 'ls'\n");
}

TEST(ShellFingerprintTest, LoudPartIsParsedSeparately) {
  EXPECT_EQ(parse_fingerprint(fingerprint_text("", ""), "@1")->loud, "");
  EXPECT_EQ(parse_fingerprint(fingerprint_text("", "f () {"), "@1")->loud, "f () {");
}

TEST(ShellFingerprintTest, RepeatableTextOmitsClockAndRandomVariables) {
  auto text = [](const std::string& state, const std::string& loud = "") {
    return repeatable_text(*parse_fingerprint(fingerprint_text(state, loud), "@1"));
  };
  const auto plain = text("declare -- A=\"0\"\n");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(text("declare -- A=\"0\"\ndeclare -i SECONDS=\"5\"\n"),
            text("declare -- A=\"0\"\ndeclare -i SECONDS=\"6\"\n"));
  EXPECT_NE(text("declare -- A=\"1\"\n"), plain);
  EXPECT_NE(text("declare -- A=\"0\"\n", "f () {"), plain);
  EXPECT_EQ(text("declare -- A=\"\ndeclare -i SECONDS=1\"\ndeclare -i SECONDS=\"5\"\n"),
            std::nullopt);
}

}  // namespace
}  // namespace sf::waypoint
