#include "cli_full/completion.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    CLI::App* exec = app_.add_subcommand("exec", "Run");
    exec->add_option("S", text_)->type_name("S")->required();
    exec->add_option("COMMAND", text_);
    exec->add_option("-t,--timeout", text_)->type_name("SECONDS");
    exec->add_flag("--json", flag_);
    CLI::App* diff = app_.add_subcommand("diff", "Compare");
    diff->add_option("S", text_)->type_name("S")->required();
    diff->add_option("A", text_)->type_name("NODE");
    diff->add_option("B", text_)->type_name("NODE");
    CLI::App* made = app_.add_subcommand("new", "Start");
    made->add_option("ROOT", text_)->type_name("DIR");
    made->add_option("--policy", text_)->type_name("eager|lazy|smart");
    CLI::App* cp = app_.add_subcommand("cp", "Copy");
    cp->add_option("SRC", text_)->type_name("S:FILE")->required();
    cp->add_option("DST", text_)->type_name("S:FILE")->required();
    CLI::App* rm = app_.add_subcommand("rm", "End");
    rm->add_option("S", texts_)->type_name("S")->required();
  }

  std::string lines(const std::vector<std::string>& words) {
    NameSource names{[](bool with_branches) {
                       std::vector<Candidate> found{{"work", ""}, {"other", ""}};
                       if (with_branches) found.push_back({"work/b1", ""});
                       return found;
                     },
                     [](const std::string& session) {
                       return std::vector<Candidate>{{"HEAD", ""}, {"n1", "of " + session}};
                     }};
    return to_lines(complete(app_, words, names));
  }

  CLI::App app_{"", "statefork"};
  std::string text_;
  std::vector<std::string> texts_;
  bool flag_ = false;
};

TEST_F(CompletionTest, TheFirstWordIsASubcommand) {
  EXPECT_EQ(lines({"e"}), "exec\tRun\n");
  EXPECT_NE(lines({""}).find("diff\tCompare\n"), std::string::npos);
  EXPECT_NE(lines({}).find("exec"), std::string::npos);
  EXPECT_NE(lines({"--h"}).find("--help"), std::string::npos);
  EXPECT_EQ(lines({"nonsense", ""}), "");
}

TEST_F(CompletionTest, ArgumentIsCompletedByItsPosition) {
  EXPECT_EQ(lines({"exec", "w"}), "work\t\n");
  EXPECT_EQ(lines({"exec", "work/"}), "work/b1\t\n");
  EXPECT_EQ(lines({"exec", "-t", "5", "--json", "w"}), "work\t\n");
  EXPECT_EQ(lines({"exec", "work", ""}), "");
  EXPECT_EQ(lines({"diff", "work", "n"}), "n1\tof work\n");
  EXPECT_EQ(lines({"diff", "work", "HEAD", "n"}), "n1\tof work\n");
  EXPECT_EQ(lines({"diff", "work", "HEAD", "n1", ""}), "");
  EXPECT_EQ(lines({"rm", "work", "o"}), "other\t\n");
  EXPECT_EQ(lines({"new", "/"}), "%directories\n");
  EXPECT_EQ(lines({"cp", "w"}), "work:\t\n%files\n");
}

TEST_F(CompletionTest, OptionsAndTheirValuesAreOffered) {
  EXPECT_EQ(lines({"exec", "--j"}), "--json\t\n");
  EXPECT_EQ(lines({"new", "--policy", ""}), "eager\t\nlazy\t\nsmart\t\n");
  EXPECT_EQ(lines({"new", "--policy", "l"}), "lazy\t\n");
  EXPECT_EQ(lines({"new", "--policy=l"}), "--policy=lazy\t\n");
  EXPECT_EQ(lines({"exec", "-t", ""}), "");
}

TEST_F(CompletionTest, WordsThatBashSplitAreJoined) {
  EXPECT_EQ(lines({"new", "--policy", "=", "l"}), "--policy=lazy\t\n");
  EXPECT_EQ(lines({"new", "--policy", "="}),
            "--policy=eager\t\n--policy=lazy\t\n--policy=smart\t\n");
  EXPECT_EQ(lines({"cp", "work", ":", "/etc/hosts", "o"}), "other:\t\n%files\n");
  EXPECT_EQ(lines({"cp", "work", ":", "/e"}), "");
}

TEST_F(CompletionTest, WordsAfterTwoDashesAreNotCompleted) {
  EXPECT_EQ(lines({"exec", "work", "--", ""}), "");
  EXPECT_EQ(lines({"exec", "work", "--", "--j"}), "");
}

}  // namespace
}  // namespace sf::cli
