// A catalog on file systems that are full or cannot be written to.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
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

// Runs `body` with a small file system that only a child of this process can see.
void on_small_disk(const std::function<void(const std::string& path)>& body,
                   const char* size = "size=2m") {
  test::TempDir dir("sf-small-disk");
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_OK(os::make_mounts_private());
    EXPECT_EQ(::mount("small", dir.path().c_str(), "tmpfs", 0, size), 0);
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

TEST(CatalogDiskTest, FullDiskRefusesWholeChangesUntilThereIsSpace) {
  on_small_disk(survive_a_full_disk);
}

void fill_up(const std::string& path) {
  os::UniqueFd file = os::open_file(path, O_WRONLY | O_CREAT | O_APPEND).value();
  const std::string block(4096, 'x');
  while (::write(file.get(), block.data(), block.size()) > 0) continue;
}

Change small_command(const SessionId& session, std::size_t position, bool finished) {
  LogEntry entry{.text = "rm /root/big", .outcome_unknown = !finished};
  Change change{.session = session, .operation = "exec_command"};
  change.counters = {.next_node = 1};
  const BranchId main("main");
  if (finished) {
    change.edits.emplace_back(edit::FinishEntry{main, position, entry});
  } else {
    change.edits.emplace_back(edit::BeginEntry{main, entry});
  }
  return change;
}

Change new_session(const SessionId& session) {
  const NodeId root("n0");
  Change change{.session = session, .operation = "build_session", .counters = {.next_node = 1}};
  change.edits.emplace_back(edit::PutSession{{.id = session, .backend = "b", .policy = "p"}});
  change.edits.emplace_back(edit::AddNode{{.id = root}});
  change.edits.emplace_back(
      edit::AddBranch{{.id = BranchId("main"), .node = root, .handle = BranchHandle("h")}});
  return change;
}

Change end_of(const SessionId& session) {
  return {.session = session, .operation = "end_session", .edits = {edit::EndSession{}}};
}

TEST(CatalogDiskTest, RemovalAndSmallCommandsAreRecordedOnAFullDiskAlsoAfterAKill) {
  on_small_disk(
      [](const std::string& directory) {
        const std::string path = directory + "/catalog.sqlite";
        const SessionId one("s1");
        const SessionId two("s2");
        ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
        ASSERT_OK(catalog->append(new_session(one)));
        ASSERT_OK(catalog->append(new_session(two)));
        fill_up(directory + "/ballast");
        for (std::size_t i = 0; i < 30; ++i) {
          fill_up(directory + "/ballast");  // other programs use all space that is released
          ASSERT_OK(catalog->append(small_command(one, i, false)));
          ASSERT_OK(catalog->append(small_command(one, i, true)));
        }
        ASSERT_OK(catalog->append(end_of(one)));
        catalog.reset();
        fill_up(directory + "/ballast");
        ASSERT_OK_AND_ASSIGN(catalog, SqliteCatalog::open(path));
        ASSERT_OK(catalog->append(end_of(two)));
        ASSERT_OK_AND_ASSIGN(auto left, catalog->load_all());
        EXPECT_TRUE(left.empty());
        ASSERT_OK(catalog->trim_operations(1));
      },
      "size=64m");
}

TEST(CatalogDiskTest, ReserveIsAllocatedAgainWhenThereIsSpace) {
  on_small_disk(
      [](const std::string& directory) {
        const std::string path = directory + "/catalog.sqlite";
        const SessionId one("s1");
        ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
        ASSERT_OK(catalog->append(new_session(one)));
        const std::uint64_t whole = os::read_file(path + ".reserve").value().size();
        EXPECT_GT(whole, 0U);
        fill_up(directory + "/ballast");
        std::size_t commands = 0;
        while (os::read_file(path + ".reserve").value().size() == whole && commands < 10'000)
          ASSERT_OK(catalog->append(small_command(one, commands++, false)));
        ASSERT_LT(os::read_file(path + ".reserve").value().size(), whole);
        ASSERT_EQ(::unlink((directory + "/ballast").c_str()), 0);
        ASSERT_OK(catalog->append(small_command(one, commands, false)));
        EXPECT_EQ(os::read_file(path + ".reserve").value().size(), whole);
      },
      "size=64m");
}

// Uses up the catalog's reserved space.
void take_all_space(const std::string& directory, const std::string& catalog) {
  ASSERT_EQ(::unlink((catalog + ".reserve").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(os::UniqueFd log, os::open_file(catalog + "-wal", O_RDWR));
  struct stat info {};
  ASSERT_EQ(::fstat(log.get(), &info), 0);
  ASSERT_EQ(
      ::fallocate(log.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, info.st_size, 64L << 20U),
      0);
  fill_up(directory + "/ballast");
}

TEST(CatalogDiskTest, SessionsAreLoadedIfTheDiskIsTooFullToRepairTheCatalog) {
  on_small_disk(
      [](const std::string& directory) {
        const std::string path = directory + "/catalog.sqlite";
        {
          ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
          ASSERT_OK(catalog->append(new_session(SessionId("good"))));
          ASSERT_OK(catalog->append(new_session(SessionId("bad"))));
        }
        {
          ASSERT_OK_AND_ASSIGN(Database db, Database::open(path));
          ASSERT_OK(db.script("DELETE FROM sessions WHERE id = 'bad'"));
          ASSERT_OK(db.trust());
        }
        ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
        ASSERT_NO_FATAL_FAILURE(take_all_space(directory, path));
        ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
        EXPECT_EQ(loaded.images.size(), 1U);
        EXPECT_EQ(loaded.unreadable.size(), 1U);
        expect_full(catalog->append(new_session(SessionId("new"))));

        // With space again, a new session does not get the key, and so the rows, of a lost one.
        ASSERT_EQ(::unlink((directory + "/ballast").c_str()), 0);
        ASSERT_OK(catalog->append(new_session(SessionId("new"))));
        ASSERT_OK_AND_ASSIGN(loaded, catalog->load_sessions());
        EXPECT_EQ(loaded.images.size(), 2U);
        for (const SessionImage& image : loaded.images) EXPECT_EQ(image.nodes.size(), 1U);
        EXPECT_EQ(loaded.unreadable.size(), 1U);
      },
      "size=64m");
}

TEST(CatalogDiskTest, NewCatalogOnAFullDiskIsRefusedAndLeavesNoFile) {
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

TEST(CatalogDiskTest, ReadOnlyDirectoryIsRefusedWithTheReason) {
  on_small_disk([](const std::string& directory) {
    const std::string path = directory + "/catalog.sqlite";
    ASSERT_OK(SqliteCatalog::open(path));
    ASSERT_EQ(::mount(nullptr, directory.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    auto opened = SqliteCatalog::open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().os_errno, EROFS) << opened.error().describe();
    EXPECT_THAT(opened.error().message, HasSubstr("Read-only file system"));
    EXPECT_THAT(opened.error().hint, HasSubstr("can write to"));
  });
}

}  // namespace
}  // namespace sf::store
