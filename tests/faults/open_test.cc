// Invalid stores and branch configurations are reported with a clear error and leave nothing
// behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <sstream>
#include <string>

#include "base/scope_exit.h"
#include "branch_state.h"
#include "driver_process.h"
#include "fault_store.h"
#include "os/directory_tree.h"
#include "os/file.h"
#include "os/run_program.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "waypoint/manifest.h"

namespace sf::faults {
namespace {

using ::testing::HasSubstr;
using waypoint::BranchConfig;
using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::FileLayerKind;
using waypoint::Waypoint;

constexpr auto kDriverTime = seconds(60);

Error open_error(const std::string& store_dir) {
  auto opened = Waypoint::open({.store_dir = store_dir});
  EXPECT_FALSE(opened.ok());
  return opened ? Error{} : std::move(opened).error();
}

TEST(OpenTest, AStoreThatAnotherProcessHasOpenIsBusy) {
  FaultStore store;
  {
    ASSERT_OK_AND_ASSIGN(DriverProcess driver,
                         DriverProcess::start({store.path(), "none", "hold"}));
    ASSERT_OK_AND_ASSIGN(std::optional<std::string> line,
                         driver.read_line(Deadline::after(kDriverTime)));
    ASSERT_EQ(line, "open");
    Error error = open_error(store.path());
    EXPECT_EQ(error.code, ErrorCode::kBusy);
    EXPECT_THAT(error.message, HasSubstr(store.path()));
    driver.end_input();
    ASSERT_OK(driver.wait(Deadline::after(kDriverTime)));
  }
  EXPECT_OK(store.open());
  store.expect_nothing_left_but({});
}

TEST(OpenTest, AStoreBelowRunIsRefused) {
  EXPECT_EQ(open_error("/run/statefork-test").code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(os::exists("/run/statefork-test"));
}

TEST(OpenTest, SymbolicLinkIntoRunIsRefused) {
  test::TempDir dir;
  std::string inside = "/run/statefork-linked-test";
  ASSERT_OK(os::make_directories(inside));
  ScopeExit clean_up([&] { EXPECT_OK(os::remove_tree(inside)); });
  ASSERT_EQ(::symlink(inside.c_str(), (dir / "link").c_str()), 0);
  EXPECT_EQ(open_error(dir / "link").code, ErrorCode::kInvalidArgument);
}

TEST(OpenTest, ARelativeStoreIsRefused) {
  Error error = open_error("store");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("absolute"));
}

TEST(OpenTest, ErrorNamesThePathOfAStoreThatCannotBeMade) {
  Error error = open_error("/proc/statefork/store");
  EXPECT_THAT(error.message, HasSubstr("/proc/statefork"));
  EXPECT_FALSE(error.hint.empty());
}

TEST(OpenTest, ErrorReportsThatTheStorePathIsAFile) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "file", "not a store"));
  EXPECT_THAT(open_error(dir / "file").message, HasSubstr(dir / "file"));
}

TEST(OpenTest, DamagedManifestLosesOnlyItsCheckpoint) {
  FaultStore store;
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(BranchId branch, store.manager().start({}));
  std::vector<CheckpointId> made;
  for (const char* word : {"good", "truncated", "future", "garbage", "renamed", "missing"}) {
    ASSERT_OK(put_word(store.manager(), branch, word));
    ASSERT_OK_AND_ASSIGN(CheckpointInfo info, store.manager().checkpoint(branch));
    made.push_back(info.id);
  }
  auto manifest = [&](std::size_t i) {
    return store.path() + "/checkpoints/" + made[i].value() + "/manifest.json";
  };
  store.close();
  ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(manifest(1)));
  ASSERT_OK(os::write_file(manifest(1), text.substr(0, text.size() / 2)));
  std::string version = "\"version\": " + std::to_string(waypoint::kManifestVersion);
  ASSERT_NE(text.find(version), std::string::npos);
  ASSERT_OK(os::write_file(manifest(2),
                           text.replace(text.find(version), version.size(), "\"version\": 999")));
  ASSERT_OK(os::write_file(manifest(3), std::string("\0\xff{[", 4)));
  ASSERT_OK_AND_ASSIGN(std::string other, os::read_file(manifest(0)));
  ASSERT_OK(os::write_file(manifest(4), other));
  ASSERT_EQ(::unlink(manifest(5).c_str()), 0);

  ASSERT_OK(store.open());
  for (std::size_t i = 1; i < made.size(); ++i) {
    Status restored = store.manager().restore(branch, made[i]);
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(restored.error().message, HasSubstr(made[i].value()));
  }
  ASSERT_OK_AND_ASSIGN(std::string still, word_in(store.manager(), branch));
  EXPECT_EQ(still, "missing");
  ASSERT_OK(store.manager().restore(branch, made[0]));
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(store.manager(), branch));
  EXPECT_EQ(word, "good");
  for (std::size_t i = 1; i < made.size(); ++i) EXPECT_OK(store.manager().remove(made[i]));
  store.expect_nothing_left_but({made[0]});
}

TEST(OpenTest, GarbageInTheStoreIsSweptAndTheLiveBranchStays) {
  FaultStore store;
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(BranchId branch, store.manager().start({}));
  ASSERT_OK(put_word(store.manager(), branch, "kept"));
  store.close();
  for (const char* room : {"/branches", "/keepers", "/drafts"}) {
    ASSERT_OK(os::write_file(store.path() + room + "/garbage.json", "{\"version\": 1, "));
    ASSERT_OK(os::make_directories(store.path() + room + "/c-garbage/image"));
    ASSERT_OK(os::write_file(store.path() + room + "/c-garbage/image/file", "x"));
  }
  ASSERT_OK(store.open());
  EXPECT_EQ(names_in(store.path() + "/branches"), std::set<std::string>{branch.value() + ".json"});
  EXPECT_EQ(names_in(store.path() + "/drafts"), std::set<std::string>{});
  EXPECT_FALSE(names_in(store.path() + "/keepers").contains("c-garbage"));
  EXPECT_FALSE(names_in(store.path() + "/keepers").contains("garbage.json"));
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(store.manager(), branch));
  EXPECT_EQ(word, "kept");
  store.expect_nothing_left_but({});
}

TEST(OpenTest, NextManagerFindsTheBranchOfADeadManagerWithItsHead) {
  FaultStore store;
  ASSERT_OK_AND_ASSIGN(DriverRun driver, run_driver({store.path(), "none", "abandon", "left"},
                                                    Deadline::after(kDriverTime)));
  ASSERT_EQ(driver.said.size(), 2U);
  CheckpointId checkpoint(driver.said[1]);
  ASSERT_OK(store.open());
  auto branches = store.manager().branches();
  ASSERT_EQ(branches.size(), 1U);
  EXPECT_EQ(branches[0].id.value(), driver.said[0]);
  EXPECT_EQ(branches[0].head, checkpoint);
  EXPECT_TRUE(branches[0].alive);
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(store.manager(), branches[0].id));
  EXPECT_EQ(word, "left");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo next, store.manager().checkpoint(branches[0].id));
  EXPECT_EQ(next.parent, checkpoint);
  store.expect_nothing_left_but({checkpoint, next.id});
}

TEST(OpenTest, StoreOfPlainDirectoriesSupportsAllOperations) {
  FaultStore store({.file_layers = FileLayerKind::kCopy});
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  EXPECT_EQ(manager.file_layers(), "copy");
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({}));
  ASSERT_OK(put_word(manager, branch, "old"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
  ASSERT_OK(put_word(manager, branch, "new"));
  ASSERT_OK_AND_ASSIGN(std::string forked, word_at(manager, info.id));
  EXPECT_EQ(forked, "old");
  ASSERT_OK_AND_ASSIGN(std::string before, word_in(manager, branch));
  EXPECT_EQ(before, "new");
  ASSERT_OK(manager.restore(branch, info.id));
  ASSERT_OK_AND_ASSIGN(std::string after, word_in(manager, branch));
  EXPECT_EQ(after, "old");
  store.expect_nothing_left_but({info.id});
}

struct BadStart {
  const char* name;
  std::function<void(BranchConfig&)> spoil;
  ErrorCode code;
  const char* message_has;
};

void PrintTo(const BadStart& start, std::ostream* out) { *out << start.name; }

class BadStartTest : public ::testing::TestWithParam<BadStart> {};

TEST_P(BadStartTest, FailedStartIsReportedAndLeavesNothing) {
  FaultStore store;
  ASSERT_OK(store.open());
  BranchConfig config;
  GetParam().spoil(config);
  auto branch = store.manager().start(config);
  ASSERT_FALSE(branch.ok());
  EXPECT_EQ(branch.error().code, GetParam().code) << branch.error().describe();
  EXPECT_THAT(branch.error().message, HasSubstr(GetParam().message_has));
  store.expect_nothing_left_but({});
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadStartTest,
    ::testing::Values(
        BadStart{"root_without_bash", [](BranchConfig& c) { c.root = "/sys/kernel"; },
                 ErrorCode::kUnsupported, "bash"},
        BadStart{"root_that_is_a_file", [](BranchConfig& c) { c.root = "/etc/passwd"; },
                 ErrorCode::kInvalidArgument, "not a directory"},
        BadStart{"root_that_is_missing", [](BranchConfig& c) { c.root = "/no/such/root"; },
                 ErrorCode::kInvalidArgument, "/no/such/root"},
        BadStart{"relative_root", [](BranchConfig& c) { c.root = "root"; },
                 ErrorCode::kInvalidArgument, "absolute"},
        BadStart{"relative_cwd", [](BranchConfig& c) { c.cwd = "tmp"; },
                 ErrorCode::kInvalidArgument, "cwd"},
        BadStart{"missing_cwd", [](BranchConfig& c) { c.cwd = "/no/such/directory"; },
                 ErrorCode::kNotFound, "/no/such/directory"},
        BadStart{"unknown_user", [](BranchConfig& c) { c.user = "nobody-knows-me"; },
                 ErrorCode::kInvalidArgument, "nobody-knows-me"},
        BadStart{"unknown_capability", [](BranchConfig& c) { c.extra_capabilities = {"fly"}; },
                 ErrorCode::kInvalidArgument, "fly"},
        BadStart{"bad_hostname", [](BranchConfig& c) { c.hostname = "two words"; },
                 ErrorCode::kInvalidArgument, "two words"},
        BadStart{"bad_variable", [](BranchConfig& c) { c.env["A B"] = "1"; },
                 ErrorCode::kInvalidArgument, "A B"},
        BadStart{"empty_variable", [](BranchConfig& c) { c.env[""] = "1"; },
                 ErrorCode::kInvalidArgument, "environment variable"},
        BadStart{"nul_in_a_value", [](BranchConfig& c) { c.env["A"] = std::string("x\0y", 3); },
                 ErrorCode::kInvalidArgument, "NUL"},
        BadStart{"window_of_nothing",
                 [](BranchConfig& c) {
                   c.window = {0, 0};
                 },
                 ErrorCode::kInvalidArgument, "window"}),
    [](const ::testing::TestParamInfo<BadStart>& each) { return std::string(each.param.name); });

// A file of a keeper that cannot be removed until resume().
class StuckFile {
 public:
  StuckFile(FaultStore& store, const BranchId& branch) {
    const std::string upper = store.manager().changed_files(branch).value();
    const std::size_t at = upper.rfind("live-") + 5;
    keeper_ = store.path() + "/keepers/" + upper.substr(at, upper.find('/', at) - at);
    EXPECT_OK(os::write_file(keeper_ + "/stuck", ""));
    set_flags(FS_IMMUTABLE_FL);
  }
  ~StuckFile() { resume(); }
  StuckFile(const StuckFile&) = delete;
  StuckFile& operator=(const StuckFile&) = delete;

  void resume() const {
    if (os::exists(keeper_ + "/stuck")) set_flags(0);
  }
  const std::string& keeper() const { return keeper_; }

 private:
  void set_flags(int flags) const {
    os::UniqueFd file = os::open_file(keeper_ + "/stuck", O_RDONLY).value();
    EXPECT_EQ(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags), 0);
  }
  std::string keeper_;
};

TEST(OpenTest, PartlyEndedBranchIsEndedByTheNextTry) {
  FaultStore store;
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({}));
  StuckFile stuck(store, branch);
  EXPECT_FALSE(manager.end(branch).ok());
  EXPECT_TRUE(manager.branches().empty());
  EXPECT_FALSE(manager.end(branch).ok()) << "the branch is still known";
  EXPECT_THAT(manager.retry_removals(), ::testing::ElementsAre(HasSubstr(branch.value())));
  stuck.resume();
  EXPECT_OK(manager.end(branch));
  EXPECT_FALSE(os::exists(stuck.keeper()));
  EXPECT_TRUE(manager.retry_removals().empty());
  EXPECT_EQ(manager.end(branch).error().code, ErrorCode::kNotFound);
  store.expect_nothing_left_but({});
}

TEST(OpenTest, StoreOpensDespiteALeftoverThatCannotBeRemoved) {
  FaultStore store;
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(BranchId kept, store.manager().start({}));
  ASSERT_OK_AND_ASSIGN(BranchId branch, store.manager().start({}));
  ASSERT_OK(put_word(store.manager(), kept, "here"));
  StuckFile stuck(store, branch);
  EXPECT_FALSE(store.manager().end(branch).ok());
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(store.manager(), kept));
  EXPECT_EQ(word, "here");
  EXPECT_EQ(store.manager().retry_removals().size(), 1U);
  stuck.resume();
  EXPECT_TRUE(store.manager().retry_removals().empty());
  EXPECT_FALSE(os::exists(stuck.keeper()));
  store.expect_nothing_left_but({});
}

TEST(OpenTest, CommandWithANulByteIsRefusedAndTheShellContinues) {
  FaultStore store;
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(BranchId branch, store.manager().start({}));
  ASSERT_OK(put_word(store.manager(), branch, "here"));
  auto refused = store.manager().exec(branch, {.command = std::string("echo a\0b", 8)});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("NUL"));
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(store.manager(), branch));
  EXPECT_EQ(word, "here");
  store.expect_nothing_left_but({});
}

void copy_into(const std::string& root, const std::string& file) {
  ASSERT_OK(os::make_directories(root + file.substr(0, file.rfind('/')), 0755));
  std::error_code error;
  std::filesystem::copy_file(file, root + file, error);
  ASSERT_FALSE(error) << file << ": " << error.message();
}

// A root with bash and its libraries only: no /proc, no /dev, no /tmp, no /etc.
void build_minimal_root(const std::string& root) {
  ASSERT_OK_AND_ASSIGN(os::ProgramOutput listed, os::run_program({"/usr/bin/ldd", "/bin/bash"},
                                                                 Deadline::after(seconds(10))));
  std::vector<std::string> files = {"/bin/bash"};
  std::istringstream words(listed.text);
  for (std::string word; words >> word;) {
    if (word.starts_with("/")) files.push_back(word);
  }
  for (const std::string& file : files) {
    ASSERT_NO_FATAL_FAILURE(copy_into(root, file));
  }
}

TEST(OpenTest, ARootWithBashAndNothingElseWorks) {
  test::TempDir root("sf-minimal-root");
  ASSERT_NO_FATAL_FAILURE(build_minimal_root(root.path()));
  FaultStore store;
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({.root = root.path()}));
  auto run = [&](const std::string& command) -> std::string {
    auto result = manager.exec(branch, {.command = command, .timeout = seconds(20)});
    return result ? result->output : result.error().describe();
  };
  EXPECT_EQ(run("WORD=old; echo $WORD > /tmp/word; echo $(</tmp/word) > /dev/null; echo $$ < "
                "/proc/1/stat; "
                "echo /*"),
            "2\n/bin /dev /lib /lib64 /proc /run /sys /tmp\n");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
  EXPECT_EQ(run("WORD=new; echo $WORD > /tmp/word"), "");
  ASSERT_OK(manager.restore(branch, info.id));
  EXPECT_EQ(run("echo $WORD $(</tmp/word)"), "old old\n");
  EXPECT_EQ(names_in(root.path()), (std::set<std::string>{"bin", "lib", "lib64"}));
  store.expect_nothing_left_but({info.id});
}

// Mode, owner and modification time of the directory.
std::string look_of(const std::string& directory) {
  struct stat info {};
  EXPECT_EQ(::stat(directory.c_str(), &info), 0) << directory;
  std::ostringstream text;
  text << std::oct << info.st_mode << std::dec << ' ' << info.st_uid << ':' << info.st_gid << ' '
       << info.st_mtim.tv_sec << '.' << info.st_mtim.tv_nsec;
  return text.str();
}

TEST(OpenTest, NewBranchShowsTheOwnerModeAndTimeThatItsRootHasNow) {
  test::TempDir root("sf-changing-root");
  ASSERT_NO_FATAL_FAILURE(build_minimal_root(root.path()));
  test::TempDir other("sf-other-root");
  ASSERT_NO_FATAL_FAILURE(build_minimal_root(other.path()));
  ASSERT_EQ(::chmod(other.path().c_str(), 0750), 0);
  FaultStore store;
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  const timespec times[2] = {{1, 0}, {1'000'000'000, 5}};
  const std::pair<const char*, std::function<int()>> changes[] = {
      {"as it was made", [] { return 0; }},
      {"mode", [&] { return ::chmod(root.path().c_str(), 01711); }},
      {"owner", [&] { return ::chown(root.path().c_str(), 33, 34); }},
      {"time", [&] { return ::utimensat(AT_FDCWD, root.path().c_str(), times, 0); }},
      {"a new file", [&] { return os::write_file(root / "file", "") ? 0 : -1; }},
      {"another directory mounted over it",
       [&] {
         return ::mount(other.path().c_str(), root.path().c_str(), nullptr, MS_BIND, nullptr);
       }},
      {"unmounted again", [&] { return ::umount2(root.path().c_str(), MNT_DETACH); }}};
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    ASSERT_EQ(change(), 0);
    ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({.root = root.path()}));
    ASSERT_OK_AND_ASSIGN(waypoint::BranchPids pids, manager.pids(branch));
    EXPECT_EQ(look_of("/proc/" + std::to_string(pids.init) + "/root"), look_of(root.path()));
    ASSERT_OK(manager.end(branch));
  }
  store.expect_nothing_left_but({});
}

// The digest compares a branch with the template that it started from, not with a later one.
TEST(OpenTest, DigestOfABranchStaysTheSameWhenItsRootChanges) {
  test::TempDir root("sf-changing-root");
  ASSERT_NO_FATAL_FAILURE(build_minimal_root(root.path()));
  FaultStore store;
  ASSERT_OK(store.open());
  ASSERT_OK_AND_ASSIGN(BranchId branch, store.manager().start({.root = root.path()}));
  waypoint::DigestRequest files;
  files.limits.shell = false;
  ASSERT_OK_AND_ASSIGN(std::string before, store.manager().digest(branch, files));
  ASSERT_EQ(::chmod(root.path().c_str(), 01711), 0);
  ASSERT_OK(store.open());  // the next manager knows it, too
  ASSERT_OK_AND_ASSIGN(std::string after, store.manager().digest(branch, files));
  EXPECT_EQ(after, before);
  store.expect_nothing_left_but({});
}

TEST(OpenTest, ARootWhoseBashCannotRunIsAClearError) {
  test::TempDir root("sf-broken-root");
  ASSERT_NO_FATAL_FAILURE(copy_into(root.path(), "/bin/bash"));  // without its libraries
  FaultStore store;
  ASSERT_OK(store.open());
  auto branch = store.manager().start({.root = root.path()});
  ASSERT_FALSE(branch.ok());
  EXPECT_THAT(branch.error().describe(), HasSubstr("bash"));
  store.expect_nothing_left_but({});
}

}  // namespace
}  // namespace sf::faults
