#include "explore/tasks/dockerfile.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

TEST(DockerfileTest, InstructionsHaveKeywordFlagsAndText) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all,
                       parse_dockerfile("# comment\n"
                                        "FROM debian:12\n"
                                        "\n"
                                        "copy --chown=1:2 a b /c/\n"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].keyword, "FROM");
  EXPECT_EQ(all[0].text, "debian:12");
  EXPECT_EQ(all[0].line, 2);
  EXPECT_EQ(all[1].keyword, "COPY");
  EXPECT_EQ(all[1].flags.at("chown"), "1:2");
  EXPECT_EQ(all[1].text, "a b /c/");
}

TEST(DockerfileTest, ContinuedLinesMayContainCommentsAndEmptyLines) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all,
                       parse_dockerfile("RUN apt-get update && \\\n"
                                        "    # why\n"
                                        "\n"
                                        "    apt-get install -y \\\n"
                                        "      curl\n"
                                        "CMD [\"sh\", \"-c\", \"sleep 1\"]\n"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "apt-get update &&     apt-get install -y       curl");
  EXPECT_EQ(all[1].words, (std::vector<std::string>{"sh", "-c", "sleep 1"}));
  EXPECT_EQ(all[1].line, 6);
}

TEST(DockerfileTest, AnotherEscapeCharacterCanBeChosen) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all,
                       parse_dockerfile("# escape=`\nRUN dir C:\\`\n x\n"));
  EXPECT_EQ(all[0].text, "dir C:\\ x");
}

TEST(DockerfileTest, HereDocumentsArePartOfTheirInstruction) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all, parse_dockerfile("COPY <<EOT <<-'RAW' /d/\n"
                                                                      "# not a comment $X\n"
                                                                      "EOT\n"
                                                                      "\ttabs go\n"
                                                                      "RAW\n"
                                                                      "RUN <<EOF\n"
                                                                      "echo one \\\n"
                                                                      "EOF\n"));
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].documents.size(), 2U);
  EXPECT_EQ(all[0].documents[0], (HereDocument{"EOT", "# not a comment $X\n", true}));
  EXPECT_EQ(all[0].documents[1], (HereDocument{"RAW", "tabs go\n", false}));
  EXPECT_EQ(all[1].documents[0].content, "echo one \\\n");
}

TEST(DockerfileTest, AHereStringIsNotAHereDocument) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all, parse_dockerfile("RUN cat <<<text\nUSER x"));
  EXPECT_TRUE(all[0].documents.empty());
  EXPECT_EQ(all[1].keyword, "USER");
}

TEST(DockerfileTest, AShiftIsNotAHereDocument) {
  ASSERT_OK_AND_ASSIGN(std::vector<Instruction> all,
                       parse_dockerfile("RUN echo $((1<<3))\nUSER x"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].documents.empty());
}

TEST(DockerfileTest, SyntaxErrorsAreReportedWithTheirLine) {
  EXPECT_NE(parse_dockerfile("FROM a\nRUN <<EOT\nx\n").error().message.find("line 2"),
            std::string::npos);
  EXPECT_NE(parse_dockerfile("FROM a\n\nRUN\n").error().message.find("line 3"), std::string::npos);
  EXPECT_FALSE(parse_dockerfile("# nothing\n"));
}

TEST(SubstituteTest, VariablesAreExpandedAsInDocker) {
  const std::map<std::string, std::string> variables = {{"A", "1"}, {"LONG_NAME", "x"}};
  EXPECT_EQ(substitute("$A ${A}b $LONG_NAME/c $NONE.", variables), "1 1b x/c .");
  EXPECT_EQ(substitute("${NONE:-else} ${A:-else} ${A:+set} ${NONE:+set}", variables),
            "else 1 set ");
  EXPECT_EQ(substitute("\\$A costs $ 5 ${broken", variables), "$A costs $ 5 ${broken");
}

TEST(PairsTest, BothFormsOfEnvAreParsed) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse_pairs("A=1 B=\"two words\" C='$x' D=a\\ b").value(),
            (Pairs{{"A", "1"}, {"B", "two words"}, {"C", "$x"}, {"D", "a b"}}));
  EXPECT_EQ(parse_pairs("A one  two").value(), (Pairs{{"A", "one  two"}}));
  EXPECT_FALSE(parse_pairs("A=1 B"));
  EXPECT_FALSE(parse_pairs("A='1"));
}

}  // namespace
}  // namespace sf::explore
