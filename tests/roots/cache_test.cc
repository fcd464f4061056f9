// Concurrent use of the cache by several processes, some of which are killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/file.h"
#include "os/pipe.h"
#include "os/process.h"
#include "os/socket.h"
#include "roots/prepare_root.h"
#include "roots/root_cache.h"
#include "tar_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

using test::TarMaker;
using test::TempDir;

constexpr auto kTimeout = seconds(30);

// A child that prepares a root. It reports each new step with one letter. With kAtFirstFile it
// waits for resume() before it unpacks the first file.
class Builder {
 public:
  enum class Pause { kNever, kAtFirstFile };

  Builder(const std::string& source, const std::string& cache_dir, Pause pause) {
    EXPECT_OK(says_ = os::make_pipe());
    EXPECT_OK(hears_ = os::make_pipe());
    const pid_t pid = ::fork();
    if (pid == 0) work(source, cache_dir, pause);
    auto child = os::adopt_child(pid);
    EXPECT_OK(child);
    if (child) child_ = std::move(*child);
    says_->write_end.reset();
    hears_->read_end.reset();
  }

  // 'u' unpacking, 'w' waiting, 'd' done, 'f' failed.
  char next_word() {
    auto ready = os::wait_readable(says_->read_end.get(), Deadline::after(kTimeout));
    char word = '?';
    if (!ready || !*ready || ::read(says_->read_end.get(), &word, 1) != 1) return '?';
    return word;
  }
  void resume() { EXPECT_EQ(::write(hears_->write_end.get(), "g", 1), 1); }
  void kill() {
    EXPECT_OK(child_.signal(SIGKILL));
    EXPECT_OK(child_.wait(Deadline::after(kTimeout)));
  }

 private:
  [[noreturn]] void work(const std::string& source, const std::string& cache_dir, Pause pause) {
    auto say = [&](char word) { (void)!::write(says_->write_end.get(), &word, 1); };
    char last = ' ';
    PrepareOptions options;
    options.cache_dir = cache_dir;
    options.progress = [&](const ProgressStep& step) {
      const char word = step.what.front();
      if (word == last || (word != 'u' && word != 'w')) return;
      last = word;
      say(word);
      char go = 0;
      if (word == 'u' && pause == Pause::kAtFirstFile)
        (void)!::read(hears_->read_end.get(), &go, 1);
    };
    say(prepare_root(source, options).ok() ? 'd' : 'f');
    ::_exit(0);
  }

  Result<os::Pipe> says_ = os::Pipe();
  Result<os::Pipe> hears_ = os::Pipe();
  os::Child child_;
};

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() {
    EXPECT_OK(os::write_file(source(), TarMaker().file("a", "1").file("b", "2").bytes()));
  }
  std::string source() const { return dir_ / "root.tar"; }
  std::string cache_dir() const { return dir_ / "cache"; }
  std::size_t drafts() const {
    auto names = os::list_directory(dir_ / "cache/drafts");
    return names ? names->size() : 0;
  }
  Result<RootImage> prepare() const {
    PrepareOptions options;
    options.cache_dir = cache_dir();
    return prepare_root(source(), options);
  }
  TempDir dir_;
};

TEST_F(CacheTest, DraftOfAKilledBuilderIsBuiltAgain) {
  for (int round = 0; round < 2; ++round) {
    Builder killed(source(), cache_dir(), Builder::Pause::kAtFirstFile);
    ASSERT_EQ(killed.next_word(), 'u');
    EXPECT_EQ(drafts(), 1U);
    killed.kill();
    EXPECT_EQ(drafts(), 1U);
  }
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare());
  EXPECT_EQ(os::read_file(made.directory + "/b").value(), "2");
  EXPECT_EQ(drafts(), 0U);
}

TEST_F(CacheTest, NextOpenRemovesTheDraftOfAKilledBuilder) {
  Builder killed(source(), cache_dir(), Builder::Pause::kAtFirstFile);
  ASSERT_EQ(killed.next_word(), 'u');
  killed.kill();
  ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(cache_dir()));
  EXPECT_EQ(drafts(), 0U);
  ASSERT_OK_AND_ASSIGN(std::vector<RootRecord> kept, cache.list());
  EXPECT_TRUE(kept.empty());
}

TEST_F(CacheTest, ConcurrentProcessesBuildARootOnce) {
  Builder first(source(), cache_dir(), Builder::Pause::kAtFirstFile);
  ASSERT_EQ(first.next_word(), 'u');
  Builder second(source(), cache_dir(), Builder::Pause::kNever);
  ASSERT_EQ(second.next_word(), 'w');
  EXPECT_OK(RootCache::open(cache_dir()));  // removes drafts, except those in progress
  EXPECT_EQ(drafts(), 1U);
  first.resume();
  EXPECT_EQ(first.next_word(), 'd');
  EXPECT_EQ(second.next_word(), 'd') << "the second process must not unpack anything";
}

TEST_F(CacheTest, WaitingProcessBuildsAfterTheBuilderIsKilled) {
  Builder first(source(), cache_dir(), Builder::Pause::kAtFirstFile);
  ASSERT_EQ(first.next_word(), 'u');
  Builder second(source(), cache_dir(), Builder::Pause::kNever);
  ASSERT_EQ(second.next_word(), 'w');
  first.kill();
  EXPECT_EQ(second.next_word(), 'u');
  EXPECT_EQ(second.next_word(), 'd');
  EXPECT_EQ(drafts(), 0U);
}

TEST_F(CacheTest, RootsAreListedNamedAndRemoved) {
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare());
  ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(cache_dir()));
  ASSERT_OK(cache.set_name("one", made.digest));
  ASSERT_OK(cache.set_name("two", made.digest));
  EXPECT_FALSE(cache.set_name("no/name", made.digest).ok());
  ASSERT_OK_AND_ASSIGN(std::vector<RootRecord> kept, cache.list());
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].digest, made.digest);
  EXPECT_EQ(kept[0].source, os::real_path(source()).value());
  EXPECT_GT(kept[0].bytes, 0U);
  ASSERT_OK(cache.remove(made.digest));
  EXPECT_FALSE(os::exists(made.directory));
  EXPECT_TRUE(cache.names().value().empty());
  auto gone = cache.find(made.digest);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(cache.remove(made.digest).ok());
  EXPECT_OK(prepare());
}

TEST_F(CacheTest, ADamagedRecordIsNamedAndCanBeRemoved) {
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare());
  const std::string record = made.directory + "/../image.json";
  ASSERT_OK(os::write_file(record, "{"));
  auto damaged = prepare();
  ASSERT_FALSE(damaged.ok());
  EXPECT_NE(damaged.error().hint.find("root rm"), std::string::npos) << damaged.error().describe();
  ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(cache_dir()));
  ASSERT_OK_AND_ASSIGN(std::string digest, cache.resolve(made.digest));
  ASSERT_OK(cache.remove(digest));
  EXPECT_OK(prepare());
}

TEST_F(CacheTest, AFailureLeavesNothing) {
  ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(cache_dir()));
  const std::string digest = "sha256:" + std::string(64, '0');
  auto refused = cache.find_or_build(digest,
                                     [](const std::string& root) -> Result<RootRecord> {
                                       EXPECT_OK(os::write_file(root + "/half", ""));
                                       return invalid("no");
                                     },
                                     {});
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(drafts(), 0U);
  EXPECT_FALSE(cache.find(digest).ok());
}

}  // namespace
}  // namespace sf::roots
