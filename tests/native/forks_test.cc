// Fifty live forks of a process with 256 MB: each sees all of it and uses memory only for the pages
// that it touches.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../commands/fixture.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;
constexpr std::uint64_t kHeld = 256 * kMegabyte;
constexpr std::size_t kForks = 50;
constexpr std::uint64_t kMostOfAFork = 16 * kMegabyte;  // including its keeper and shell

// A process with random bytes. "touch K" writes to every page of each fork's Kth megabyte, "crc K"
// only reads it; both print the checksum from before.
const char* const kHolder = R"(mkfifo /tmp/in /tmp/out; exec 8<>/tmp/in 9<>/tmp/out
cat > /tmp/holder.py <<'END'
import os, sys, zlib
held = bytearray(os.urandom(256 << 20))
for line in sys.stdin:
    what, k = line.split()
    start = int(k) << 20
    print(zlib.crc32(memoryview(held)[start:start + (1 << 20)]), flush=True)
    if what == "touch":
        for at in range(start, start + (1 << 20), 4096): held[at] ^= 255
END
/usr/bin/python3 /tmp/holder.py <&8 >&9 8<&- 9<&- &)";

// Proportional set size of a process.
std::uint64_t proportional_memory(pid_t pid) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  std::size_t at = text ? text->find("\nPss:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + 5, nullptr, 10) * 1024;
}

class ForksTest : public CommandsTest {
 protected:
  std::string ask(const BranchId& branch, const std::string& request) {
    auto answer = wp_->exec(branch, {.command = "echo " + request + " >&8; read -r x <&9; echo $x",
                                     .timeout = milliseconds(60'000)});
    EXPECT_TRUE(answer.ok()) << (answer ? "" : answer.error().describe());
    return answer ? answer->output : "";
  }
  // Memory of all branches and their keepers.
  std::uint64_t memory() {
    std::uint64_t sum = 0;
    for (const BranchInfo& branch : wp_->branches())
      for (pid_t pid : os::process_tree(branch.keeper_pid)) sum += proportional_memory(pid);
    return sum;
  }
};

TEST_F(ForksTest, FiftyForksOf256MegabytesUseMemoryForTouchedPagesOnly) {
  BranchConfig config;
  config.engine = EngineChoice::kNative;
  branch_ = start(config);
  run(kHolder);
  std::vector<std::string> held;
  for (std::size_t k = 0; k < kForks; ++k)
    held.push_back(ask(branch_, "crc " + std::to_string(k * 5)));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo taken, wp_->checkpoint(branch_));
  EXPECT_GT(taken.image_bytes, kHeld);
  const std::uint64_t one = memory();
  EXPECT_GT(one, kHeld);

  Stopwatch watch;
  auto forks = wp_->fork(taken.id, kForks);
  const double took_ms = static_cast<double>(watch.elapsed().count()) / 1000.0;
  const std::uint64_t idle = memory();
  for (std::size_t k = 0; k < kForks; ++k) {
    ASSERT_TRUE(forks[k].ok()) << forks[k].error().describe();
    ASSERT_EQ(ask(*forks[k], "touch " + std::to_string(k * 5)), held[k]) << "fork " << k;
  }
  const std::uint64_t touched = memory();
  std::printf("%zu forks in %.0f ms; memory %llu MB, forked %llu MB, each touched 1 MB %llu MB\n",
              kForks, took_ms, static_cast<unsigned long long>(one / kMegabyte),
              static_cast<unsigned long long>(idle / kMegabyte),
              static_cast<unsigned long long>(touched / kMegabyte));
  // A write in one fork is not visible in other branches.
  for (std::size_t k = 0; k < kForks; ++k) {
    EXPECT_EQ(ask(branch_, "crc " + std::to_string(k * 5)), held[k]);
    EXPECT_EQ(ask(*forks[k], "crc " + std::to_string((k + 1) % kForks * 5)),
              held[(k + 1) % kForks]);
  }
  EXPECT_LT(touched, one + kForks * kMostOfAFork);
}

}  // namespace
}  // namespace sf::waypoint
