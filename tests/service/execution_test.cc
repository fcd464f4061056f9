// Executions run independently of watchers: their events can be read from any number, repeatedly.
#include <atomic>
#include <functional>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "daemon_world.h"

namespace sf::test {
namespace {

using wire::Json;

struct Seen {
  std::vector<std::pair<std::string, Json>> events;  // kind and data
  std::string text() const {
    std::string all;
    for (const auto& [kind, data] : events) {
      if (kind == "output") all += data.value("text", "");
    }
    return all;
  }
  const Json& last() const { return events.back().second; }
};

class ExecutionTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.output({"new", "--name", "s"}); }

  std::string start(const Json& request) {
    auto made = client_.post(kPath, request);
    EXPECT_OK(made);
    return made.ok() ? made->value("execution", "") : "";
  }
  // Returns all events after `after`, to the end or until `enough` returns true.
  Seen watch(const std::string& execution, std::uint64_t after,
             const std::function<bool(const Seen&)>& enough = {}) {
    Seen seen;
    client::ApiClient::Gate gate;
    auto ended = client_.events(kPath + "/" + execution + "/events?after=" + std::to_string(after),
                                gate, [&](const wire::ServerEvent& event) -> Status {
                                  seen.events.emplace_back(event.name, Json::parse(event.data));
                                  if (enough && enough(seen)) gate.close();
                                  return Ok{};
                                });
    EXPECT_OK(ended);
    return seen;
  }

  const std::string kPath = "/v1/sessions/s/branches/main/executions";
  DaemonWorld world_;
  client::ApiClient client_ = world_.client();
};

TEST_F(ExecutionTest, ManyWatchersDoNotBlockOtherClients) {
  constexpr int kWatchers = 200;
  std::string id = start({{"command", "echo first; read -s x; echo $x"}});
  std::latch watching(kWatchers);
  std::atomic<int> complete = 0;
  std::vector<std::thread> watchers;
  for (int i = 0; i < kWatchers; ++i) {
    watchers.emplace_back([&] {
      bool arrived = false;
      Seen seen = watch(id, 0, [&](const Seen& so_far) {
        if (!arrived && so_far.text() == "first\n") {
          arrived = true;
          watching.count_down();
        }
        return false;
      });
      if (!arrived) watching.count_down();
      complete += seen.text() == "first\nlast\n" ? 1 : 0;
    });
  }
  watching.wait();
  EXPECT_EQ(world_.run({"ls"}).status, 0);
  EXPECT_OK(client_.post("/v1/sessions/s/branches/main/keys", {{"keys", "last\r"}}));
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_EQ(complete, kWatchers);
}

TEST_F(ExecutionTest, OutputArrivesWhileTheCommandRunsAndTheResultAtItsEnd) {
  std::string id = start({{"command", "echo first; read x; echo got $x; (exit 3)"}});
  Seen before = watch(id, 0, [](const Seen& seen) { return seen.text() == "first\n"; });
  EXPECT_EQ(before.text(), "first\n");
  ASSERT_OK_AND_ASSIGN(Json running, client_.get(kPath + "/" + id));
  EXPECT_EQ(running["state"], "running");
  ASSERT_OK(client_.post("/v1/sessions/s/branches/main/keys", {{"keys", "word\r"}}));
  Seen rest = watch(id, before.last()["seq"]);
  EXPECT_NE(rest.text().find("got word\n"), std::string::npos) << rest.text();
  EXPECT_EQ(rest.last()["exit_code"], 3);
  ASSERT_OK_AND_ASSIGN(Json done, client_.get(kPath + "/" + id));
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["result"]["exit_code"], 3);
}

TEST_F(ExecutionTest, WatcherResumesAfterAnyEventNumber) {
  std::string id = start({{"command", "for i in $(seq 200); do echo line $i; done"}});
  Seen all = watch(id, 0);
  ASSERT_EQ(all.events.back().first, "result");
  EXPECT_EQ(all.last()["exit_code"], 0);
  EXPECT_EQ(all.text(), all.last()["output"]);
  std::uint64_t number = 0;
  for (const auto& [kind, data] : all.events) EXPECT_EQ(data["seq"], ++number);
  for (std::uint64_t after = 0; after <= number; ++after) {
    Seen rest = watch(id, after);
    ASSERT_EQ(rest.events.size(), number - after);
    for (std::size_t i = 0; i < rest.events.size(); ++i)
      EXPECT_EQ(rest.events[i], all.events[after + i]);
  }
}

TEST_F(ExecutionTest, InterruptEndsOnlyItsOwnCommand) {
  std::string first = start({{"command", "echo began; sleep 1000; echo after"}});
  watch(first, 0, [](const Seen& seen) { return seen.text() == "began\n"; });
  std::string second = start({{"command", "echo never > /never"}});
  ASSERT_OK_AND_ASSIGN(Json waiting, client_.get(kPath + "/" + second));
  EXPECT_EQ(waiting["state"], "queued");
  ASSERT_OK_AND_ASSIGN(Json met, client_.post(kPath + "/" + second + "/interrupt", Json::object()));
  EXPECT_EQ(met["was"], "queued");
  ASSERT_OK_AND_ASSIGN(Json untouched, client_.get(kPath + "/" + first));
  EXPECT_EQ(untouched["state"], "running");

  // Repeat the interrupt, since the shell may be just starting the program.
  Json ended;
  for (Deadline patience = Deadline::after(seconds(30)); !patience.passed();) {
    ASSERT_OK_AND_ASSIGN(met, client_.post(kPath + "/" + first + "/interrupt", Json::object()));
    ASSERT_OK_AND_ASSIGN(ended, client_.get(kPath + "/" + first + "?wait_ms=1000"));
    if (ended["state"] == "done") break;
    EXPECT_EQ(met["was"], "running");
  }
  EXPECT_EQ(ended["result"]["exit_code"], 130);
  EXPECT_EQ(ended["result"]["output"].get<std::string>().find("after"), std::string::npos);
  ASSERT_OK_AND_ASSIGN(Json dropped, client_.get(kPath + "/" + second + "?wait_ms=60000"));
  EXPECT_EQ(dropped["state"], "failed");
  EXPECT_EQ(dropped["problem"]["code"], "busy");
  EXPECT_EQ(world_.exec_output("s", "ls /never 2>/dev/null || echo none"), "none");
  ASSERT_OK_AND_ASSIGN(met, client_.post(kPath + "/" + first + "/interrupt", Json::object()));
  EXPECT_EQ(met["was"], "over");
}

TEST_F(ExecutionTest, ExecutionContinuesWithoutAWatcher) {
  std::string id = start({{"command", "echo done >/mark; echo said"}});
  ASSERT_OK_AND_ASSIGN(Json done, client_.get(kPath + "/" + id + "?wait_ms=60000"));
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["result"]["output"], "said\n");
  EXPECT_EQ(world_.exec_output("s", "cat /mark"), "done");
}

TEST_F(ExecutionTest, RawBytesAreSentOnRequest) {
  std::string id = start({{"command", "printf '\\033[31mred\\033[0m'"}, {"raw", true}});
  Seen seen = watch(id, 0);
  EXPECT_EQ(seen.events.front().second["raw_base64"], "G1szMW1yZWQbWzBt");
  EXPECT_EQ(seen.last()["output"], "red");
}

TEST_F(ExecutionTest, DroppedEventsAreReportedAsAGap) {
  std::string id = start(
      {{"command", "head -c 12000000 /dev/zero | tr '\\0' x | fold -w 99"}, {"max_output", 1000}});
  Seen seen = watch(id, 0, [](const Seen& now) { return now.events.back().first == "result"; });
  Seen late = watch(id, 0);
  EXPECT_EQ(late.events.front().first, "gap");
  EXPECT_GT(late.events.front().second["seq"], 1);
  EXPECT_EQ(late.events[1].second["seq"], late.events[0].second["seq"].get<int>() + 1);
  EXPECT_EQ(late.last()["truncated"], true);
}

TEST_F(ExecutionTest, EndOfTheSessionIsReportedAsAProblem) {
  std::string id = start({{"command", "echo on; sleep 1000"}});
  watch(id, 0, [](const Seen& seen) { return !seen.events.empty(); });
  std::thread ender([&] { world_.run({"rm", "s"}); });
  Seen seen = watch(id, 1);
  ender.join();
  EXPECT_EQ(seen.events.back().first, "problem");
}

TEST_F(ExecutionTest, UnknownExecutionsAndThoseOfOtherBranchesAreNotFound) {
  world_.output({"fork", "s"});
  std::string id = start({{"command", "true"}});
  EXPECT_EQ(client_.get(kPath + "/x00000000").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(client_.get("/v1/sessions/s/branches/b1/executions/" + id).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(client_.post("/v1/sessions/s/branches/nowhere/executions", {{"command", "true"}})
                .error()
                .code,
            ErrorCode::kNotFound);
  EXPECT_EQ(client_.get(kPath + "/" + id + "/events?after=-1").error().code,
            ErrorCode::kInvalidArgument);
  ASSERT_OK_AND_ASSIGN(Json all, client_.get(kPath));
  ASSERT_EQ(all["executions"].size(), 1);
  EXPECT_EQ(all["executions"][0]["execution"], id);
}

}  // namespace
}  // namespace sf::test
