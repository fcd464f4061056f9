// Ctrl-C while a task is built: the run ends without waiting for the current step and leaves no
// session.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "explore_world.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::test {
namespace {

using wire::Json;

class StopTest : public ExploreWorld {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_OK(os::write_file(task() + "/" + name, text));
  }

  // Starts a run, interrupts it when `is_that_far` returns true, and checks that it ends soon and
  // leaves no session.
  void stop_when(const std::function<bool(pid_t)>& is_that_far, const std::string& directory) {
    world_.output({"ls"});  // starts the daemon
    os::SpawnOptions options;
    options.argv = {
        SF_PROGRAM, "explore", task(),     "--root",        "/",       "--agent",         "script",
        "--out",    directory, "--socket", world_.socket(), "--state", world_.state_dir()};
    options.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    ASSERT_OK_AND_ASSIGN(os::Child child, os::spawn(options));
    const Deadline deadline = Deadline::after(seconds(60));
    while (!is_that_far(child.pid()) && !deadline.passed())
      std::this_thread::sleep_for(milliseconds(5));
    ASSERT_FALSE(deadline.passed());
    const Stopwatch watch;
    ASSERT_OK(child.signal(SIGINT));
    ASSERT_OK_AND_ASSIGN(os::ExitStatus ended, child.wait(Deadline::after(seconds(60))));
    EXPECT_LT(watch.elapsed(), seconds(10));
    EXPECT_EQ(ended.shell_code(), 130);
    EXPECT_FALSE(ended.signaled) << "the client must clean up and exit";
    auto sessions = world_.client().get("/v1/sessions");
    ASSERT_OK(sessions);
    EXPECT_TRUE((*sessions)["sessions"].empty()) << sessions->dump();
  }

  // True if a command of the build has begun.
  bool has_begun() {
    auto sessions = world_.client().get("/v1/sessions");
    if (!sessions || (*sessions)["sessions"].empty()) return false;
    const std::string id = (*sessions)["sessions"].front().value("id", "");
    auto tree = world_.client().get("/v1/sessions/" + id + "/tree");
    if (!tree) return false;
    for (const Json& branch : (*tree)["branches"]) {
      if (!branch.value("id", "").ends_with("-build")) continue;
      auto executions = world_.client().get("/v1/sessions/" + id + "/branches/" +
                                            branch.value("id", "") + "/executions");
      return executions.ok() && !(*executions)["executions"].empty();
    }
    return false;
  }
};

// A build step that ignores the interrupt is stopped as well.
TEST_F(StopTest, InterruptEndsABuildStepAndLeavesNothing) {
  write("Dockerfile", "FROM x\nRUN trap '' INT; touch /srv/begun; sleep 100; sleep 100\n");
  const std::string directory = out();
  stop_when([&](pid_t) { return has_begun(); }, directory);
  write("Dockerfile", "FROM x\nWORKDIR /srv/app\nCOPY files/ .\n");
  const CommandRun resumed =
      world_.run({"explore", "--resume", directory, "--max-nodes", "1", "--json"});
  EXPECT_EQ(resumed.status, 3) << resumed.err;
}

TEST_F(StopTest, InterruptEndsACopyOfManyFiles) {
  constexpr int kFiles = 20'000;  // takes over 30 s to copy; hard links, because they are made fast
  write("Dockerfile", "FROM x\nCOPY many /srv/many/\n");
  ASSERT_OK(os::make_directories(task() + "/many"));
  write("many/file", "x");
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = task() + "/many/" + std::to_string(i);
    ASSERT_EQ(::link((task() + "/many/file").c_str(), name.c_str()), 0);
  }
  stop_when([&](pid_t) { return has_begun(); }, out());
}

// The copied files are read before the copy, to find out whether the build is cached.
TEST_F(StopTest, InterruptEndsTheReadOfALargeFile) {
  constexpr off_t kSize = off_t{256} << 30U;  // a sparse file; reading it takes minutes
  write("Dockerfile", "FROM x\nCOPY large /srv/\n");
  write("large", "");
  const std::string large = task() + "/large";
  ASSERT_EQ(::truncate(large.c_str(), kSize), 0);
  auto reads_it = [&](pid_t pid) {
    const std::string descriptors = "/proc/" + std::to_string(pid) + "/fd";
    auto names = os::list_directory(descriptors);
    if (!names) return false;
    return std::ranges::any_of(*names, [&](const std::string& name) {
      auto target = os::read_link(descriptors + "/" + name);
      return target.ok() && *target == large;
    });
  };
  stop_when(reads_it, out());
}

}  // namespace
}  // namespace sf::test
