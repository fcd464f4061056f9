// ExploreWorld: a task, a daemon, and the command line that searches the task.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon_world.h"
#include "task_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "wire/json.h"

namespace sf::test {

class ExploreWorld : public ::testing::Test {
 protected:
  void SetUp() override { make_terminal_bench_task(task()); }
  std::string task() const { return dir_ / "task"; }
  std::string out() { return dir_ / ("run" + std::to_string(++runs_)); }

  CommandRun explore(std::vector<std::string> more, const std::string& directory = "") {
    std::vector<std::string> arguments = {
        "explore", task(),   "--root", "/",
        "--agent", "script", "--out",  directory.empty() ? out() : directory,
        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return world_.run(arguments);
  }
  // Runs the task's own solution once.
  CommandRun run_oracle(const std::string& task, const std::string& directory = "") {
    return world_.run({"explore", task, "--root", "/", "--agent", "oracle", "--policy", "pass@k",
                       "--attempts", "1", "--out", directory.empty() ? out() : directory,
                       "--json"});
  }
  static wire::Json json_of(const CommandRun& ran) {
    wire::Json json = wire::Json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << ran.status << ": " << ran.out << ran.err;
    return json.is_object() ? json : wire::Json::object();
  }
  std::size_t branches(const std::string& session) {
    auto tree = world_.client().get("/v1/sessions/" + session + "/tree");
    EXPECT_OK(tree);
    return tree ? (*tree)["branches"].size() : 0;
  }

  TempDir dir_;
  DaemonWorld world_;
  int runs_ = 0;
};

}  // namespace sf::test
