// Images written by the real podman, which has its own storage; this test program has its own mount
// and PID namespaces (see CMakeLists.txt).
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "os/file.h"
#include "os/run_program.h"
#include "roots/prepare_root.h"
#include "tar_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

using test::TarMaker;
using test::TempDir;

class PodmanTest : public ::testing::Test {
 protected:
  PodmanTest() {
    EXPECT_OK(os::write_file(dir_ / "storage.conf",
                             "[storage]\ndriver = \"overlay\"\ngraphroot = \"" + (dir_ / "podman") +
                                 "\"\nrunroot = \"" + (dir_ / "podman-run") + "\"\n"));
    EXPECT_OK(os::write_file(
        dir_ / "containers.conf",
        "[engine]\nevents_logger = \"file\"\ntmp_dir = \"" + (dir_ / "podman-tmp") + "\"\n"));
    EXPECT_OK(os::write_file(dir_ / "small.tar",
                             TarMaker()
                                 .directory("srv")
                                 .directory("old")
                                 .file("old/a", "1")
                                 .directory("replaced")
                                 .file("replaced/a", "1")
                                 .file("gone", "1")
                                 .file("etc/owned", "x", {.mode = 04755, .uid = 7, .gid = 8})
                                 .hard_link("etc/twin", "etc/owned")
                                 .bytes()));
    podman("import --quiet --change 'ENV A=b' --change 'WORKDIR /srv' --change 'CMD [\"x\"]' " +
           (dir_ / "small.tar") + " localhost/small:1");
    // Adds layers without running a program: one adds a file, one removes it.
    EXPECT_OK(os::make_directories(dir_ / "context"));
    EXPECT_OK(os::write_file(dir_ / "context/new", "2"));
    EXPECT_OK(os::write_file(dir_ / "context/Containerfile",
                             "FROM localhost/small:1\nCOPY new /old/new\nUSER 7\n"));
    podman("build --quiet --layers --pull=never --isolation chroot -t localhost/added:1 " +
           (dir_ / "context"));
    podman(
        "create --name c localhost/added:1 x && cd \"$(podman mount c)\" && rm gone && "
        "rm -r replaced && mkdir replaced && echo 3 >replaced/b && cd / && podman unmount c && "
        "podman commit --quiet c localhost/layered:1");
  }
  ~PodmanTest() override {
    (void)::umount2((dir_ / "podman/overlay").c_str(), MNT_DETACH);  // podman leaves it mounted
  }

  void podman(const std::string& arguments) {
    auto done =
        os::run_program({"/bin/sh", "-c", "podman " + arguments}, Deadline::after(seconds(120)),
                        {.env = {"HOME=/root", "CONTAINERS_CONF=" + (dir_ / "containers.conf"),
                                 "CONTAINERS_STORAGE_CONF=" + (dir_ / "storage.conf")}});
    ASSERT_OK(done);
    EXPECT_TRUE(done->succeeded()) << arguments << "\n" << done->text;
  }

  void expect_root(const std::string& format, const std::string& file) {
    SCOPED_TRACE(format);
    podman("save --quiet --format " + format + " -o " + (dir_ / file) + " localhost/layered:1");
    PrepareOptions options;
    options.cache_dir = dir_ / ("cache-" + format);
    ASSERT_OK_AND_ASSIGN(RootImage made, prepare_root(dir_ / file, options));
    EXPECT_EQ(os::read_file(made.directory + "/old/a").value(), "1");
    EXPECT_EQ(os::read_file(made.directory + "/old/new").value(), "2");
    EXPECT_FALSE(os::exists(made.directory + "/gone"));
    EXPECT_FALSE(os::exists(made.directory + "/replaced/a"));
    EXPECT_EQ(os::read_file(made.directory + "/replaced/b").value(), "3\n");
    struct stat owned {};
    struct stat twin {};
    ASSERT_EQ(::lstat((made.directory + "/etc/owned").c_str(), &owned), 0);
    ASSERT_EQ(::lstat((made.directory + "/etc/twin").c_str(), &twin), 0);
    EXPECT_EQ(owned.st_mode & 07777U, 04755U);
    EXPECT_EQ(owned.st_uid, 7U);
    EXPECT_EQ(owned.st_gid, 8U);
    EXPECT_EQ(owned.st_ino, twin.st_ino);
    EXPECT_EQ(made.config.working_dir, "/srv");
    EXPECT_EQ(made.config.user, "7");
    EXPECT_EQ(made.config.cmd, std::vector<std::string>{"x"});
    bool has_variable = false;
    for (const std::string& entry : made.config.env) has_variable = has_variable || entry == "A=b";
    EXPECT_TRUE(has_variable);
  }

  TempDir dir_;
};

TEST_F(PodmanTest, SavedImagesBecomeRoots) {
  expect_root("docker-archive", "docker.tar");
  expect_root("oci-archive", "oci.tar");
  expect_root("oci-dir", "oci");
}

}  // namespace
}  // namespace sf::roots
