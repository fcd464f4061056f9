// Runs the program as a user does.
#include <gtest/gtest.h>

#include "cli_full/full_commands.h"
#include "os/run_program.h"
#include "wire/frame.h"

namespace sf::cli {
namespace {

os::ProgramOutput statefork(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SF_PROGRAM);
  auto output = os::run_program(arguments, Deadline::after(seconds(20)));
  if (output) return *output;
  ADD_FAILURE() << output.error().message;
  return {};
}

TEST(StateforkTest, WithoutArgumentsTheProgramExplainsTheNextStep) {
  auto output = statefork({});
  EXPECT_EQ(output.status.shell_code(), 0);
  EXPECT_NE(output.text.find("statefork doctor"), std::string::npos) << output.text;
}

TEST(StateforkTest, VersionAndHelpSucceed) {
  EXPECT_EQ(statefork({"--version"}).text, "statefork " SF_VERSION "\n");
  auto help = statefork({"--help"});
  EXPECT_EQ(help.status.shell_code(), 0);
  EXPECT_NE(help.text.find("doctor"), std::string::npos) << help.text;
}

TEST(StateforkTest, AWrongCommandIsAUsageErrorThatPointsToHelp) {
  auto output = statefork({"no-such-command"});
  EXPECT_EQ(output.status.shell_code(), 2);
  EXPECT_NE(output.text.find("--help"), std::string::npos) << output.text;
}

TEST(DoctorCommandTest, JsonAndExitStatusAgree) {
  auto output = statefork({"doctor", "--json"});
  wire::Json json = wire::Json::parse(output.text, nullptr, false);
  ASSERT_TRUE(json.is_object()) << output.text;
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(output.status.shell_code(), json["ready"] == true ? 0 : 1);
}

TEST(DoctorCommandTest, AHostWithoutCriuIsNotReady) {
  auto output = statefork({"doctor", "--criu", "/no/such/criu"});
  EXPECT_EQ(output.status.shell_code(), 1);
  EXPECT_NE(output.text.find("✗ CRIU"), std::string::npos) << output.text;
  EXPECT_NE(output.text.find("\nnot ready: "), std::string::npos) << output.text;
}

}  // namespace
}  // namespace sf::cli
