// Commands of any size and content arrive byte for byte, and their output is complete.
#include "fixture.h"
#include "shell/shell_protocol.h"

namespace sf::waypoint {
namespace {

TEST_F(CommandsTest, OutputAndExitStatusComeBack) {
  Observation r = run("echo one; echo two >&2; (exit 42)");
  EXPECT_EQ(r.output, "one\ntwo\n");
  EXPECT_EQ(r.exit_code, 42);
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(run("echo $?").output, "42\n");
}

TEST_F(CommandsTest, OutputThatLooksLikeTheProtocolIsReturnedUnharmed) {
  std::string text = "S\nE 0\nB\nX 2 0\n{ __wp_tail= }\n";
  EXPECT_EQ(output("printf '" + text + "'"), text);
  EXPECT_EQ(output("printf '\\n\\nE 1\\n'; false"), "\n\nE 1\n");
  EXPECT_EQ(run("echo E 7; exit_code=3; false").exit_code, 1);
  // A program prints lines that the driver drops when the shell echoes them.
  for (const std::string& ours : {std::string(kTailLine), run_line(1, 5, "true")}) {
    std::string quoted = "'A" + ours.substr(0, ours.find('\n')) + "XYZ'";
    std::string plain = quoted.substr(1, quoted.size() - 2);
    EXPECT_EQ(output("echo " + quoted), plain + "\n");
    EXPECT_EQ(output("echo " + quoted.substr(0, quoted.size() - 4) + "'"),
              plain.substr(0, plain.size() - 3) + "\n");
  }
}

TEST_F(CommandsTest, FiveMegabytesArriveWhole) {
  auto result = wp_->exec(branch_ = start(),
                          {.command = "seq 1 800000 | head -c 5000000", .max_output = 16U << 20U});
  ASSERT_OK(result);
  EXPECT_FALSE(result->truncated);
  std::string expected;
  for (int i = 1; expected.size() < 5'000'000; ++i) expected += std::to_string(i) + "\n";
  expected.resize(5'000'000);
  EXPECT_TRUE(result->output == expected);  // EXPECT_EQ would print a diff of 5 MB
}

TEST_F(CommandsTest, LongOutputKeepsHeadAndTail) {
  branch_ = start();
  auto result = wp_->exec(branch_, {.command = "seq 1 100000", .max_output = 2000});
  ASSERT_OK(result);
  EXPECT_TRUE(result->truncated);
  EXPECT_GT(result->output_bytes, 600'000U);
  EXPECT_TRUE(result->output.starts_with("1\n2\n3\n"));
  EXPECT_TRUE(result->output.ends_with("99999\n100000\n"));
  EXPECT_NE(result->output.find("bytes omitted"), std::string::npos);
}

TEST_F(CommandsTest, NoNewlineIsAddedOrLost) {
  EXPECT_EQ(output("printf abc"), "abc");
  EXPECT_EQ(output("printf 'abc\\n\\n'"), "abc\n\n");
  EXPECT_EQ(output("true"), "");
}

TEST_F(CommandsTest, RawOutputHasEveryByte) {
  Observation r = run("stty -onlcr; printf 'a\\0b\\xff\\xfe\\x1b[31mred\\x1b[0m\\n'; stty onlcr");
  EXPECT_EQ(r.raw, std::string("a\0b\xff\xfe\x1b[31mred\x1b[0m\n", 18));
  EXPECT_EQ(r.output, "ab\xef\xbf\xbd\xef\xbf\xbdred\n");
}

TEST_F(CommandsTest, CommandsOfManyLinesAndAMegabyteArriveByteForByte) {
  EXPECT_EQ(output("cat <<'END'\n  $HOME `x` \\ \"quoted\"\n\tTab\nEND\n"),
            "  $HOME `x` \\ \"quoted\"\n\tTab\n");
  EXPECT_EQ(output("for i in 1 2\ndo\n  echo $i\ndone"), "1\n2\n");
  std::string big(1'500'000, 'y');
  EXPECT_EQ(output("x='" + big + "'; echo ${#x}"), "1500000\n");
  std::string control = "printf '%s' '\x01\x03\x04\x15\x16\x1b\x7f' | od -An -tx1 | tr -d ' '";
  EXPECT_EQ(output(control), "01030415161b7f\n");
  EXPECT_EQ(output("echo 'caf\xc3\xa9' | wc -c"), "6\n");
}

TEST_F(CommandsTest, AnEmptyCommandSucceeds) {
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_EQ(run("# only a comment").exit_code, 0);
  EXPECT_EQ(run("   ").output, "");
}

TEST_F(CommandsTest, ACommandWithANulByteIsRefusedAndChangesNothing) {
  branch_ = start();
  auto result = wp_->exec(branch_, {.command = std::string("echo a\0b", 8)});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, UnfinishedInputIsAnErrorNotAHang) {
  Observation quote = run("echo \"unfinished");
  EXPECT_NE(quote.exit_code, 0);
  EXPECT_NE(quote.output.find("unexpected EOF"), std::string::npos) << quote.output;
  EXPECT_EQ(run("if true; then").exit_code, 2);
  EXPECT_EQ(run("false &&").exit_code, 2);
  EXPECT_EQ(run("cat <<END\ntext").output.ends_with("text\n"), true);
  EXPECT_EQ(output("echo fine"), "fine\n");
}

TEST_F(CommandsTest, OutputStreamsWhileTheCommandRuns) {
  branch_ = start();
  std::string streamed;
  bool early = false;
  auto result =
      wp_->exec(branch_, {.command = "echo first; until test -e /tmp/go; do :; done; echo second"},
                [&](std::string_view bytes) {
                  streamed += bytes;
                  if (early || streamed.find("first") == std::string::npos) return;
                  early = true;
                  EXPECT_OK(wp_->side_exec(branch_, {.argv = {"touch", "/tmp/go"}}));
                });
  ASSERT_OK(result);
  EXPECT_TRUE(early);
  EXPECT_EQ(result->output, "first\nsecond\n");
  EXPECT_EQ(streamed, "first\r\nsecond\r\n");
}

TEST_F(CommandsTest, TenThousandCommandsInARow) {
  branch_ = start();
  for (int i = 0; i < 10'000; ++i) {
    auto result = wp_->exec(branch_, {.command = "n=$((n+1)); echo $n"});
    ASSERT_OK(result);
    ASSERT_EQ(result->output, std::to_string(i + 1) + "\n");
    ASSERT_EQ(result->background, "");
  }
}

}  // namespace
}  // namespace sf::waypoint
