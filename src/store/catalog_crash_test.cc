// Kills a writer at random moments: every acknowledged change is recorded, and no change is
// recorded in part.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>

#include "os/error.h"
#include "os/fd.h"
#include "store/sqlite_catalog.h"
#include "testing/change_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using test::ChangeMaker;
using test::ChangeSeed;

constexpr int kKills = 50;
constexpr unsigned kMostAcknowledged = 600;  // enough for a merge of the log during the test

// The changes of the session: change number i is always the same.
ChangeSeed seed_of(std::uint64_t i) {
  std::mt19937_64 random(i);
  auto number = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  return {.kind = number(ChangeMaker::kKinds),
          .branch = number(100),
          .node = number(1000),
          .detail = number(2000)};
}

// Appends changes and sends the number of each recorded one. Never returns.
[[noreturn]] void write_until_killed(const std::string& path, ChangeMaker maker,
                                     std::uint64_t written, int acknowledge) {
  auto catalog = SqliteCatalog::open(path);
  if (!catalog.ok()) ::_exit(2);
  for (std::uint64_t i = written + 1;; ++i) {
    if (!(*catalog)->append(maker.next(seed_of(i))).ok()) ::_exit(3);
    if (::write(acknowledge, &i, sizeof i) != sizeof i) ::_exit(4);
  }
}

// Kills the writer a random time after its `enough`-th acknowledgement; returns the last number
// that it sent.
std::uint64_t kill_after(pid_t writer, int acknowledged, unsigned enough, unsigned spins) {
  std::uint64_t last = 0;
  for (unsigned i = 0; i < enough; ++i) {
    if (::read(acknowledged, &last, sizeof last) != sizeof last) break;
  }
  std::atomic<unsigned> spun = 0;  // some microseconds
  while (spun < spins) spun += 1;
  EXPECT_EQ(::kill(writer, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
  std::uint64_t one = 0;
  while (::read(acknowledged, &one, sizeof one) == sizeof one) last = one;
  return last;
}

TEST(CatalogCrashTest, AcknowledgedChangesSurviveAKillAtAnyMoment) {
  test::TempDir dir;
  const std::string path = dir / "catalog.sqlite";
  ChangeMaker maker(SessionId("s1"));
  std::mt19937 random(20240607);
  std::uint64_t written = 0;
  for (int round = 0; round < kKills; ++round) {
    SCOPED_TRACE(round);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    os::UniqueFd reading(ends[0]);
    os::UniqueFd writing(ends[1]);
    pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) write_until_killed(path, maker, written, writing.get());
    writing.reset();
    // Sometimes zero, to kill the writer while it opens the catalog.
    unsigned enough = random() % 8 == 0 ? 0 : static_cast<unsigned>(random()) % kMostAcknowledged;
    std::uint64_t acknowledged =
        kill_after(writer, reading.get(), enough, static_cast<unsigned>(random()) % 200'000);

    ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
    ASSERT_OK_AND_ASSIGN(
        std::vector<OperationRecord> last,
        catalog->operations({.limit = 1, .which = OperationQuery::Which::kNewest}));
    std::uint64_t found = last.empty() ? 0 : last.front().sequence;
    EXPECT_GE(found, std::max(acknowledged, written));
    EXPECT_LE(found, std::max(acknowledged, written) + 1) << "too many unacknowledged";
    while (written < found) (void)maker.next(seed_of(++written));
    ASSERT_OK_AND_ASSIGN(std::vector<SessionImage> images, catalog->load_all());
    ASSERT_EQ(images.size(), maker.is_there() ? 1U : 0U);
    if (!maker.is_there()) continue;
    ASSERT_OK_AND_ASSIGN(BranchTree tree, BranchTree::from_image(images.front()));
    ASSERT_EQ(tree.image(), maker.tree().image());
    ASSERT_EQ(images.front().counters, maker.tree().counters());
  }
  EXPECT_GT(written, 500U);
}

}  // namespace
}  // namespace sf::store
