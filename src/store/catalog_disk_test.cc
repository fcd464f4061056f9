// A catalog on file systems that are full or cannot be written to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "os/file.h"
#include "os/mount.h"
#include "os/process.h"
#include "store/sqlite_catalog.h"
#include "testing/change_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using test::ChangeMaker;
using ::testing::HasSubstr;

// Runs `body` with a small file system that only a child of this process ever sees.
void on_small_disk(const std::function<void(const std::string& path)>& body) {
  test::TempDir dir("sf-small-disk");
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_OK(os::make_mounts_private());
    EXPECT_EQ(::mount("small", dir.path().c_str(), "tmpfs", 0, "size=2m"), 0);
    if (!::testing::Test::HasFailure()) body(dir.path());
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(os::ExitStatus::from_wait(status).shell_code(), 0) << "see the child's failures above";
}

void expect_full(const Status& status) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoSpace) << status.error().describe();
  EXPECT_THAT(status.error().message, HasSubstr("catalog.sqlite"));
  EXPECT_THAT(status.error().hint, HasSubstr("make room"));
}

void survive_a_full_disk(const std::string& directory) {
  const std::string path = directory + "/catalog.sqlite";
  ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
  ASSERT_OK(os::write_file(directory + "/ballast", std::string(1U << 20U, 'x')));
  ChangeMaker maker(SessionId("s1"));
  SessionImage acknowledged;
  Status status = Ok{};
  unsigned changes = 0;
  Change refused;
  while (status.ok() && changes < 100'000) {
    acknowledged = maker.tree().image();
    refused = maker.next({.kind = changes % 18, .node = changes, .detail = changes});
    status = catalog->append(refused);
    changes += 1;
  }
  ASSERT_NO_FATAL_FAILURE(expect_full(status));
  ASSERT_NO_FATAL_FAILURE(expect_full(catalog->append(refused))) << "still full";
  ASSERT_OK_AND_ASSIGN(auto images, catalog->load_all());
  EXPECT_EQ(BranchTree::from_image(images.front()).value().image(), acknowledged);

  ASSERT_EQ(::unlink((directory + "/ballast").c_str()), 0);
  ASSERT_OK(catalog->append(refused));
  catalog.reset();
  ASSERT_OK_AND_ASSIGN(catalog, SqliteCatalog::open(path));
  ASSERT_OK_AND_ASSIGN(images, catalog->load_all());
  EXPECT_EQ(BranchTree::from_image(images.front()).value().image(), maker.tree().image());
}

TEST(CatalogDiskTest, AFullDiskRefusesChangesWholeAndRoomMakesThemPossibleAgain) {
  on_small_disk(survive_a_full_disk);
}

TEST(CatalogDiskTest, ANewCatalogOnAFullDiskIsRefusedAndLeavesNoneBehind) {
  on_small_disk([](const std::string& directory) {
    const std::string path = directory + "/catalog.sqlite";
    (void)os::write_file(directory + "/ballast", std::string(4U << 20U, 'x')).ok();
    auto opened = SqliteCatalog::open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::kNoSpace) << opened.error().describe();
    EXPECT_FALSE(os::exists(path));
    ASSERT_EQ(::unlink((directory + "/ballast").c_str()), 0);
    EXPECT_OK(SqliteCatalog::open(path));
  });
}

TEST(CatalogDiskTest, AReadOnlyDirectoryIsRefusedWithTheReason) {
  on_small_disk([](const std::string& directory) {
    const std::string path = directory + "/catalog.sqlite";
    ASSERT_OK(SqliteCatalog::open(path));
    ASSERT_EQ(::mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    auto opened = SqliteCatalog::open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().os_errno, EROFS) << opened.error().describe();
    EXPECT_THAT(opened.error().message, HasSubstr("Read-only file system"));
    EXPECT_THAT(opened.error().hint, HasSubstr("may write to"));
  });
}

}  // namespace
}  // namespace sf::store
