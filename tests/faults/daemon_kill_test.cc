// Kills the daemon repeatedly at random moments while clients work. Acknowledged state must exist
// afterwards, and nothing else may be left.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "daemon_world.h"

namespace sf::test {
namespace {

using wire::Json;

constexpr unsigned kKills = 200;
constexpr unsigned kClients = 3;
constexpr unsigned kDefaultSeed = 1;
constexpr milliseconds kLook{5};          // how often a client retries
constexpr unsigned kLongestLifeMs = 400;  // of a daemon

unsigned from_environment(const char* name, unsigned fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// One client with its own session. It records every acknowledgement.
class Worker {
 public:
  Worker(const DaemonWorld& world, std::string name, unsigned seed)
      : client_(world.client()), name_(std::move(name)), random_(seed) {}

  // Works until `stop` is set; retries while the daemon is down.
  void work(const std::atomic<bool>& stop) {
    while (!stop) {
      if (!step()) std::this_thread::sleep_for(kLook);
    }
  }

  // Every acknowledged node must show the state in which it was taken; every removed node must not
  // exist.
  void verify() {
    for (const auto& [node, value] : acknowledged_) {
      SCOPED_TRACE(name_ + " " + node);
      ASSERT_OK(client_.post(path("/restore"), {{"node", node}}));
      EXPECT_EQ(look(), value);
    }
    for (const std::string& branch : branches_) {
      auto seen = client_.post("/v1/sessions/" + name_ + "/branches/" + branch + "/exec",
                               {{"command", "echo alive"}});
      EXPECT_OK(seen);
    }
  }
  std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  std::string path(const std::string& verb) const {
    return "/v1/sessions/" + name_ + "/branches/main" + verb;
  }
  // Reads variables, a file and a process; all three must come from the same moment.
  std::string look() {
    auto seen = client_.post(
        path("/exec"), {{"command", "echo $X $(cat /root/x) $(tr '\\0' ' ' </proc/$P/cmdline)"}});
    EXPECT_OK(seen);
    return seen ? seen->value("output", "") : "";
  }

  bool step() {
    switch (random_() % 8) {
      case 0:
        return restore_some();
      case 1:
        return fork_or_end();
      default:
        return change_and_snapshot();
    }
  }

  bool change_and_snapshot() {
    std::string value = std::to_string(++counter_);
    // The node must not be taken before the new process has become `sleep`.
    auto changed = client_.post(
        path("/exec"),
        {{"command", "kill $P 2>/dev/null; X=" + value + "; echo " + value +
                         " >/root/x; sleep 1000." + value +
                         " & P=$!; disown; until read -rd '' name </proc/$P/cmdline && " +
                         "[[ $name == sleep ]]; do :; done"}});
    if (!changed) return check_not_lost(changed.error());
    auto taken = client_.post(path("/snapshot"), Json::object());
    if (!taken) return false;
    acknowledged_[(*taken)["node"]] = value + " " + value + " sleep 1000." + value + "\n";
    return true;
  }

  bool restore_some() {
    if (acknowledged_.empty()) return false;
    auto chosen = std::next(acknowledged_.begin(),
                            static_cast<std::ptrdiff_t>(random_() % acknowledged_.size()));
    return client_.post(path("/restore"), {{"node", chosen->first}}).ok();
  }

  bool fork_or_end() {
    if (branches_.empty()) {
      auto made = client_.post(path("/fork"), {{"node", "HEAD"}});
      if (!made || !(*made)["branches"][0].contains("branch")) return false;
      branches_.insert((*made)["branches"][0]["branch"].get<std::string>());
      return true;
    }
    std::string branch = *branches_.begin();
    branches_.erase(branch);  // after the request to end it, the branch may or may not exist
    return client_.remove("/v1/sessions/" + name_ + "/branches/" + branch).ok();
  }

  // A branch outlives the daemon.
  static bool check_not_lost(const Error& error) {
    if (error.code == ErrorCode::kSessionLost) ADD_FAILURE() << error.describe();
    return false;
  }

  client::ApiClient client_;
  std::string name_;
  std::mt19937 random_;
  unsigned counter_ = 0;
  std::map<std::string, std::string> acknowledged_;
  std::set<std::string> branches_;
};

TEST(DaemonKillTest, AcknowledgedStateSurvivesRepeatedKillsOfTheDaemon) {
  const unsigned seed = from_environment("SF_SEED", kDefaultSeed);
  const unsigned kills = from_environment("SF_KILLS", kKills);
  SCOPED_TRACE("SF_SEED=" + std::to_string(seed));
  DaemonWorld world;
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < kClients; ++i) {
    std::string name = "w" + std::to_string(i);
    world.output({"new", "--name", name});
    world.exec_output(name, "P=1");
    workers.push_back(std::make_unique<Worker>(world, name, seed + i));
  }
  std::atomic<bool> stop = false;
  std::vector<std::jthread> threads;
  for (auto& worker : workers) threads.emplace_back([&] { worker->work(stop); });

  std::mt19937 random(seed);
  for (unsigned kill = 0; kill < kills; ++kill) {
    SCOPED_TRACE("kill " + std::to_string(kill));
    std::this_thread::sleep_for(milliseconds(random() % kLongestLifeMs));  // a random moment
    world.end_daemon(SIGKILL);
    world.output({"ls"});  // starts a new daemon
    if (::testing::Test::HasFailure()) break;
  }
  stop = true;
  threads.clear();
  std::size_t nodes = 0;
  for (auto& worker : workers) {
    worker->verify();
    nodes += worker->acknowledged();
  }
  EXPECT_GT(nodes, kills / 10) << "the clients took too few snapshots";
  RecordProperty("nodes", static_cast<int>(nodes));
}

}  // namespace
}  // namespace sf::test
