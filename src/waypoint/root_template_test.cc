// Names of templates, over real directories.
#include "waypoint/root_template.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <set>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint {
namespace {

class RootTemplateTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(os::make_directories(store())); }
  std::string root() const { return dir_ / "root"; }
  std::string store() const { return dir_ / "root/var/store"; }
  std::string name() const {
    RootTemplate wanted{root(), "/bin/true", store()};
    EXPECT_OK(look_at_base(wanted));
    auto named = template_name(wanted);
    EXPECT_OK(named);
    return named ? *named : "";
  }

  test::TempDir dir_;
};

TEST_F(RootTemplateTest, NameStaysTheSameWhileTheRootDoes) {
  const std::string before = name();
  ASSERT_OK(os::write_file(root() + "/var/beside", "new"));
  ASSERT_OK(os::write_file(store() + "/inside", "new"));
  EXPECT_EQ(name(), before) << "what is made beside the store does not need another template";
}

TEST_F(RootTemplateTest, EveryChangeOfTheRootGivesAnotherName) {
  const timespec times[2] = {{1, 0}, {1, 5}};
  const std::function<int()> changes[] = {
      [&] { return ::chmod(root().c_str(), 01711); },
      [&] { return ::chown(root().c_str(), 33, 0); },
      [&] { return ::chown(root().c_str(), 33, 34); },
      [&] { return ::utimensat(AT_FDCWD, root().c_str(), times, 0); },
      [&] { return ::chmod((root() + "/var").c_str(), 0711); },
      [&] { return ::chown(store().c_str(), 33, 34); },
      [&] {  // another directory that looks the same
        const std::string old = dir_ / "old";
        if (::rename(root().c_str(), old.c_str()) != 0 || !os::make_directories(store()) ||
            ::chmod(root().c_str(), 01711) != 0 || ::chown(root().c_str(), 33, 34) != 0 ||
            ::chmod((root() + "/var").c_str(), 0711) != 0)
          return -1;
        return ::utimensat(AT_FDCWD, root().c_str(), times, 0);
      },
  };
  std::set<std::string> names = {name()};
  for (const auto& change : changes) {
    ASSERT_EQ(change(), 0);
    EXPECT_TRUE(names.insert(name()).second) << "change " << names.size();
  }
}

}  // namespace
}  // namespace sf::waypoint
