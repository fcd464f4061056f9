// `statefork root`, and sessions that start over its roots.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "daemon_world.h"
#include "image_maker.h"
#include "os/file.h"
#include "os/run_program.h"

namespace sf::test {
namespace {

using wire::Json;

class RootCommandTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    EXPECT_OK(os::write_file(dir_ / name, bytes));
    return dir_ / name;
  }
  std::string small_archive() { return file("small.tar", TarMaker().file("f", "x").bytes()); }
  // A root with a shell: the small one of the test machine.
  std::string real_archive() {
    const char* root = std::getenv("STATEFORK_SMALL_ROOT");
    EXPECT_NE(root, nullptr);
    auto made = os::run_program({"/bin/tar", "--one-file-system", "--numeric-owner", "-C",
                                 root == nullptr ? "" : root, "-cf", dir_ / "layer.tar", "."},
                                Deadline::after(seconds(60)));
    EXPECT_TRUE(made && made->succeeded());
    ImageMaker image;
    image.layers = {os::read_file(dir_ / "layer.tar", 1U << 30U).value(),
                    TarMaker().directory("srv").file("srv/mark", "from the image").bytes()};
    return file("image.tar", ImageMaker::tar_of(image.old_docker_files()));
  }

  DaemonWorld world;
  TempDir dir_;
};

TEST_F(RootCommandTest, RootsAreAddedListedAndRemoved) {
  EXPECT_EQ(world.output({"root", "add", small_archive(), "--name", "small"}), "small");
  const Json again = Json::parse(world.output({"root", "add", small_archive(), "--json"}));
  EXPECT_EQ(again["names"], Json::array({"small"}));
  EXPECT_EQ(os::read_file(again["directory"].get<std::string>() + "/f").value(), "x");
  const Json list = Json::parse(world.output({"root", "ls", "--json"}));
  ASSERT_EQ(list["roots"].size(), 1U);
  EXPECT_EQ(list["roots"][0]["digest"], again["digest"]);
  const std::string shown = world.output({"root", "ls"});
  EXPECT_NE(shown.find("small"), std::string::npos) << shown;
  EXPECT_EQ(world.output({"root", "rm", "small"}), "");
  EXPECT_TRUE(Json::parse(world.output({"root", "ls", "--json"}))["roots"].empty());
}

TEST_F(RootCommandTest, MistakesAreReportedWithAHint) {
  CommandRun missing = world.run({"root", "add", dir_ / "nothing"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("hint:"), std::string::npos) << missing.err;
  CommandRun problem = world.run({"root", "rm", "nobody", "--json"});
  EXPECT_EQ(problem.status, 1);
  EXPECT_EQ(Json::parse(problem.err)["code"], "not_found") << problem.err;
  EXPECT_EQ(world.run({"root", "paint", "x"}).status, 2);
  EXPECT_EQ(world.run({"root"}).status, 2);
  EXPECT_EQ(world.run({"root", "add"}).status, 1);
  CommandRun directory = world.run({"root", "add", dir_.path()});
  EXPECT_NE(directory.err.find("statefork new"), std::string::npos) << directory.err;
  EXPECT_EQ(world.run({"root", "add", small_archive(), "--name", "a/b"}).status, 1);
  EXPECT_EQ(world.run({"root", "debootstrap", "--", "-x"}).status, 2);
  EXPECT_EQ(world.run({"root", "debootstrap", "../x"}).status, 1);
}

TEST_F(RootCommandTest, ASessionStartsOverAnArchive) {
  const std::string session = world.output({"new", real_archive(), "--name", "s"});
  EXPECT_EQ(world.exec_output("s", "cat mark; echo; pwd; echo $GREETING"),
            "from the image\n/srv\nhello");
  world.exec_output("s", "rm mark");
  const Json list = Json::parse(world.output({"root", "ls", "--json"}));
  ASSERT_EQ(list["roots"].size(), 1U);
  const std::string digest = list["roots"][0]["digest"];
  // A live session keeps its root.
  CommandRun busy = world.run({"root", "rm", digest});
  EXPECT_EQ(busy.status, 1);
  EXPECT_NE(busy.err.find("statefork rm"), std::string::npos) << busy.err;
  // The second session has the archive's defaults, except those that the options override.
  world.output({"new", digest, "--name", "t", "--cwd", "/", "-e", "GREETING=bye"});
  EXPECT_EQ(world.exec_output("t", "cat /srv/mark; echo; pwd; echo $GREETING"),
            "from the image\n/\nbye");
  world.output({"rm", "s", "t"});
  EXPECT_EQ(world.output({"root", "rm", digest}), "");
}

}  // namespace
}  // namespace sf::test
