// Sessions over images of Docker and Podman.
#include <gtest/gtest.h>

#include <memory>

#include "daemon_world.h"
#include "engines.h"
#include "os/run_program.h"
#include "testing/matchers.h"

namespace sf::test {
namespace {

class ImageTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_OK(engines.prepare(GetParam()));
    world = std::make_unique<DaemonWorld>(engines.environment());
    import("tiny:1", "");
    import("volume:1", "VOLUME /data");
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  // Imports the small root as an image, with one Dockerfile instruction.
  void import(const std::string& name, const std::string& change) {
    const bool is_docker = GetParam() == std::string("docker");
    const std::string tool = is_docker ? "docker import" : "podman import --quiet";
    const std::string option = change.empty() ? "" : "--change '" + change + "' ";
    std::vector<std::string> environment = engines.environment();
    environment.emplace_back("HOME=/root");
    auto done = os::run_program(
        {"/bin/sh", "-c",
         "tar -C \"$0\" --one-file-system -c . | " + tool + " " + option + "- " + name,
         Engines::root()},
        Deadline::after(seconds(120)), {.env = environment});
    ASSERT_OK(done);
    EXPECT_TRUE(done->succeeded()) << done->text;
  }
  CommandRun start(const std::string& image) {
    return world->run({"new", "image:" + image, "--backend", GetParam()});
  }

  Engines engines;
  std::unique_ptr<DaemonWorld> world;
};

TEST_P(ImageTest, ImageCanBeUsedAsARoot) {
  std::string session =
      world->output({"new", "image:tiny:1", "--backend", GetParam(), "--name", "tiny"});
  world->exec_output(session, "echo old >/root/f");
  std::string node = world->output({"snapshot", session});
  world->exec_output(session, "echo new >/root/f");
  world->output({"restore", session, node});
  EXPECT_EQ(world->exec_output(session, "cat /root/f; ls /bin/sh"), "old\n/bin/sh");
}

TEST_P(ImageTest, MissingImageIsNamedWithAHint) {
  CommandRun refused = start("nobody/has-this:1");
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.err.find("has-this"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("pull"), std::string::npos) << refused.err;
}

// Volumes are outside of the container's own files, so a snapshot would miss them.
TEST_P(ImageTest, VolumesOfAnImageAreCapturedOrRefused) {
  CommandRun made = start("volume:1");
  if (GetParam() == std::string("docker")) {
    EXPECT_NE(made.status, 0);
    EXPECT_NE(made.err.find("/data"), std::string::npos) << made.err;
    return;
  }
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string session = made.out.substr(0, made.out.find('\n'));
  world->exec_output(session, "mkdir -p /data; echo old >/data/f");
  std::string node = world->output({"snapshot", session});
  world->exec_output(session, "echo new >/data/f");
  world->output({"restore", session, node});
  EXPECT_EQ(world->exec_output(session, "cat /data/f"), "old");
}

INSTANTIATE_TEST_SUITE_P(Backends, ImageTest, ::testing::Values("docker", "podman"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace sf::test
