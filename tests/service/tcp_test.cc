// The API over TCP, which requires the token.
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "daemon_world.h"
#include "os/file.h"
#include "os/run_program.h"

namespace sf::test {
namespace {

constexpr const char* kToken = "a-token-of-some-length";

class TcpTest : public ::testing::Test {
 protected:
  // Serves on a port that the kernel chooses and the log names.
  void SetUp() override {
    ASSERT_OK(os::write_file(dir_ / "token", std::string(kToken) + "\n"));
    std::string command = std::string(SF_PROGRAM) + " serve --socket " + world_.socket() +
                          " --state " + (dir_ / "state") + " --listen 127.0.0.1:0 --token-file " +
                          (dir_ / "token") + " >/dev/null 2>" + (dir_ / "log") + " &";
    ASSERT_OK(os::run_program({"/bin/sh", "-c", command}, Deadline::after(seconds(60))));
    Deadline patience = Deadline::after(seconds(60));
    std::smatch found;
    while (log_.find("ready") == std::string::npos && !patience.passed()) {
      auto text = os::read_file(dir_ / "log");
      if (text) log_ = *text;
    }
    ASSERT_TRUE(std::regex_search(log_, found, std::regex("port=\"([0-9]+)"))) << log_;
    url_ = "http://127.0.0.1:" + found[1].str();
  }
  // Status and body, as printed by curl.
  std::string curl(std::vector<std::string> arguments) {
    std::vector<std::string> argv{"/usr/bin/curl", "-s", "-m", "30", "-w", " %{http_code}"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    auto ran = os::run_program(argv, Deadline::after(seconds(60)));
    EXPECT_OK(ran);
    return ran ? ran->text : "";
  }

  TempDir dir_{"sf-tcp"};
  DaemonWorld world_;
  std::string log_;
  std::string url_;
};

TEST_F(TcpTest, RequestsWithoutTheTokenAreRefused) {
  EXPECT_NE(curl({url_ + "/healthz", "-H", std::string("Authorization: Bearer ") + kToken})
                .find("\"status\":\"ok\""),
            std::string::npos);
  for (std::string wrong :
       {"Authorization: Bearer ", "Authorization: Bearer a-token-of-some-lengtH",
        "Authorization: Basic a-token-of-some-length", "X-Other: 1"}) {
    std::string answer = curl({url_ + "/healthz", "-H", wrong});
    EXPECT_TRUE(answer.ends_with(" 401")) << wrong << ": " << answer;
    EXPECT_NE(answer.find("\"code\":\"unauthorized\""), std::string::npos) << answer;
    EXPECT_EQ(answer.find("\"version\""), std::string::npos)
        << "an unauthorized reply must not contain the version";
  }
}

TEST_F(TcpTest, SessionsAreSharedBetweenTcpAndTheSocket) {
  std::string header = std::string("Authorization: Bearer ") + kToken;
  EXPECT_TRUE(
      curl({url_ + "/v1/sessions", "-H", header, "-d", R"({"name":"s"})"}).ends_with(" 201"));
  EXPECT_EQ(world_.exec_output("s", "echo here"), "here");
}

TEST(TcpRefusalTest, TcpWithoutATokenIsRefused) {
  TempDir dir("sf-tcp");
  ASSERT_OK(os::write_file(dir / "short", "secret\n"));
  for (std::string token : {std::string(), " --token-file " + (dir / "short")}) {
    std::string command = std::string("unset STATEFORK_TOKEN; ") + SF_PROGRAM + " serve --socket " +
                          (dir / "s.sock") + " --state " + (dir / "state") +
                          " --listen 127.0.0.1:0" + token + " 2>&1";
    ASSERT_OK_AND_ASSIGN(auto ran,
                         os::run_program({"/bin/sh", "-c", command}, Deadline::after(seconds(60))));
    EXPECT_EQ(ran.status.shell_code(), 1);
    EXPECT_NE(ran.text.find("needs a token"), std::string::npos) << ran.text;
    EXPECT_NE(ran.text.find("--token-file"), std::string::npos) << ran.text;
  }
}

TEST(SocketGroupTest, RequestedGroupOwnsTheSocket) {
  TempDir dir("sf-group");
  std::string command = std::string(SF_PROGRAM) + " serve --socket " + (dir / "s.sock") +
                        " --state " + (dir / "state") + " --group no-such-group 2>&1";
  ASSERT_OK_AND_ASSIGN(auto refused,
                       os::run_program({"/bin/sh", "-c", command}, Deadline::after(seconds(60))));
  EXPECT_EQ(refused.status.shell_code(), 1);
  EXPECT_NE(refused.text.find("groupadd no-such-group"), std::string::npos) << refused.text;
}

}  // namespace
}  // namespace sf::test
