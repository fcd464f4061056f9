// Which files are opened, which are refused, and that refused files are not changed.
#include "store/catalog_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "os/file.h"
#include "os/process.h"
#include "store/sqlite_catalog.h"
#include "testing/change_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CatalogFileTest : public ::testing::Test {
 protected:
  // Makes a catalog with some sessions and closes it.
  void fill(unsigned changes = 300) {
    ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
    test::ChangeMaker maker(control::SessionId("s1"));
    for (unsigned i = 0; i < changes; ++i)
      ASSERT_OK(catalog->append(maker.next({.kind = i % 18, .node = i / 3, .detail = i})));
  }
  void expect_refused(ErrorCode code, const std::string& why) {
    ASSERT_OK_AND_ASSIGN(std::string before, os::read_file(path, 64U << 20U));
    auto opened = SqliteCatalog::open(path);
    ASSERT_FALSE(opened.ok()) << "expected: " << why;
    EXPECT_EQ(opened.error().code, code) << opened.error().describe();
    EXPECT_THAT(opened.error().message, AllOf(HasSubstr(why), HasSubstr(path)));
    EXPECT_THAT(opened.error().hint, HasSubstr("was not changed"));
    ASSERT_OK_AND_ASSIGN(std::string after, os::read_file(path, 64U << 20U));
    EXPECT_TRUE(after == before) << "a refused file must not be written to";
  }
  test::TempDir dir;
  const std::string path = dir / "catalog.sqlite";
};

TEST_F(CatalogFileTest, NewCatalogIsEmptyPrivateAndWithoutLeftovers) {
  {
    ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
    ASSERT_OK_AND_ASSIGN(auto images, catalog->load_all());
    EXPECT_THAT(images, IsEmpty());
  }
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U) << "environments hold secrets";
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, os::list_directory(dir.path()));
  EXPECT_THAT(names, UnorderedElementsAre("catalog.sqlite", "catalog.sqlite.lock",
                                          "catalog.sqlite.reserve"));
}

TEST_F(CatalogFileTest, DraftOfAKilledProcessIsReplaced) {
  ASSERT_OK(os::write_file(path + ".draft", "half a catalog"));
  ASSERT_OK(os::write_file(path + ".draft-wal", "half a log"));
  ASSERT_OK(SqliteCatalog::open(path));
  EXPECT_FALSE(os::exists(path + ".draft"));
}

TEST_F(CatalogFileTest, FileThatIsNotADatabaseIsRefused) {
  ASSERT_OK(os::write_file(path, std::string(5000, 'x')));
  expect_refused(ErrorCode::kCorrupt, "not a database");
}

TEST_F(CatalogFileTest, DatabaseOfAnotherProgramIsRefused) {
  ASSERT_OK(os::write_file(path, ""));
  {
    ASSERT_OK_AND_ASSIGN(Database db, Database::open(path));
    ASSERT_OK(db.script("CREATE TABLE bookmarks(url TEXT)"));
  }
  expect_refused(ErrorCode::kCorrupt, "not a catalog of sessions");
}

TEST_F(CatalogFileTest, EmptiedFileIsNotTakenForANewOne) {
  ASSERT_OK(os::write_file(path, ""));
  expect_refused(ErrorCode::kCorrupt, "is empty");
}

TEST_F(CatalogFileTest, TruncatedFileIsRefused) {
  ASSERT_NO_FATAL_FAILURE(fill());
  ASSERT_OK_AND_ASSIGN(std::string whole, os::read_file(path, 64U << 20U));
  ASSERT_OK(os::write_file(path, whole.substr(0, whole.size() / 2 / 4096 * 4096)));
  expect_refused(ErrorCode::kCorrupt, path);
}

TEST_F(CatalogFileTest, GarbledPagesAreRefused) {
  ASSERT_NO_FATAL_FAILURE(fill());
  ASSERT_OK_AND_ASSIGN(std::string whole, os::read_file(path, 64U << 20U));
  ASSERT_GT(whole.size(), 20U * 4096U);
  for (std::size_t page : {1U, 5U, 12U}) {  // not the first page, which has the header
    std::string garbled = whole;
    for (std::size_t i = page * 4096; i < (page + 1) * 4096; ++i) garbled[i] = '\x5a';
    ASSERT_OK(os::write_file(path, garbled));
    SCOPED_TRACE(page);
    expect_refused(ErrorCode::kCorrupt, path);
  }
}

TEST_F(CatalogFileTest, LogWithoutItsCatalogIsNotIgnored) {
  ASSERT_OK(os::write_file(path + "-wal", "old log"));
  auto opened = SqliteCatalog::open(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(opened.error().message, HasSubstr("is missing"));
  EXPECT_FALSE(os::exists(path));
  ASSERT_OK_AND_ASSIGN(std::string log, os::read_file(path + "-wal"));
  EXPECT_EQ(log, "old log");
}

TEST_F(CatalogFileTest, RefusedCatalogKeepsTheLogOfAKilledOwner) {
  ASSERT_NO_FATAL_FAILURE(fill());
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<CatalogFile> file = open_catalog_file(path);
    bool written = file.ok() && file->db.script("PRAGMA user_version = 1000").ok();
    ::_exit(written ? 0 : 1);  // without closing it
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(os::ExitStatus::from_wait(status).shell_code(), 0);
  ASSERT_OK_AND_ASSIGN(std::string file, os::read_file(path, 64U << 20U));
  ASSERT_OK_AND_ASSIGN(std::string log, os::read_file(path + "-wal", 64U << 20U));
  ASSERT_FALSE(log.empty());
  auto opened = SqliteCatalog::open(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported) << opened.error().describe();
  ASSERT_OK_AND_ASSIGN(std::string file_after, os::read_file(path, 64U << 20U));
  ASSERT_OK_AND_ASSIGN(std::string log_after, os::read_file(path + "-wal", 64U << 20U));
  EXPECT_TRUE(file_after == file && log_after == log);
}

TEST_F(CatalogFileTest, MissingDirectoryIsNamed) {
  auto opened = SqliteCatalog::open(dir / "no" + "/catalog.sqlite");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(opened.error().message, HasSubstr(dir / "no"));
}

TEST_F(CatalogFileTest, SecondOwnerIsRefusedUnderAnyNameOfTheFile) {
  ASSERT_OK_AND_ASSIGN(auto first, SqliteCatalog::open(path));
  ASSERT_EQ(::symlink(dir.path().c_str(), (dir / "link").c_str()), 0);
  for (const std::string& name : {path, (dir / "link") + "/catalog.sqlite"}) {
    auto second = SqliteCatalog::open(name);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  }
  first.reset();
  EXPECT_OK(SqliteCatalog::open(path));
}

TEST_F(CatalogFileTest, SecondProcessIsToldTheOwner) {
  ASSERT_OK_AND_ASSIGN(auto ours, SqliteCatalog::open(path));
  const std::string owner = "process " + std::to_string(::getpid());
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto theirs = SqliteCatalog::open(path);
    bool refused = !theirs.ok() && theirs.error().code == ErrorCode::kBusy &&
                   theirs.error().message.find(owner) != std::string::npos;
    if (!refused)
      std::fprintf(stderr, "%s\n", theirs.ok() ? "opened" : theirs.error().describe().c_str());
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(os::ExitStatus::from_wait(status).shell_code(), 0);
  test::ChangeMaker maker(control::SessionId("s1"));
  EXPECT_OK(ours->append(maker.next({}))) << "the owner can still write";
}

}  // namespace
}  // namespace sf::store
