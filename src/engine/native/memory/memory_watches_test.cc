#include "engine/native/memory/memory_watches.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/native/memory/pages_file.h"
#include "os/process.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 64;
constexpr std::size_t kSize = kPages * kPage;

// Content of the nth page in the pages file.
unsigned char mark(std::size_t page) { return static_cast<unsigned char>(page % 250 + 1); }

// Memory of this process with all pages missing. All of it was saved, except `holes` pages at its
// end.
class MissingMemory {
 public:
  MissingMemory() {
    at_ = static_cast<unsigned char*>(
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  MissingMemory(const MissingMemory&) = delete;
  MissingMemory& operator=(const MissingMemory&) = delete;
  ~MissingMemory() { ::munmap(at_, kSize); }

  Result<WatchedMemory> watch(std::size_t holes = 0) const {
    os::UniqueFd content(::memfd_create("content", MFD_CLOEXEC));
    for (std::size_t i = 0; i < kPages; ++i) {
      std::string page(kPage, static_cast<char>(mark(i)));
      if (::write(content.get(), page.data(), kPage) != static_cast<ssize_t>(kPage))
        return fail(ErrorCode::kOs, "no memory");
    }
    os::UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
    SF_TRY_ASSIGN(UserFault fault, UserFault::begin(std::move(fd), UserFault::Purpose::kServe));
    SF_TRY(fault.watch({start(), start() + kSize}, UserFault::Purpose::kServe));
    WatchedMemory memory{std::move(fault), UserFault::Purpose::kServe, {}};
    memory.backing.put({start(), start() + kSize - holes * kPage,
                        std::make_shared<const PagesFile>(std::move(content)), 0});
    return memory;
  }

  std::uint64_t start() const { return reinterpret_cast<std::uint64_t>(at_); }
  unsigned char* at() const { return at_; }
  unsigned char first_of(std::size_t page) const {
    return const_cast<volatile unsigned char*>(at_)[page * kPage];
  }

 private:
  unsigned char* at_;
};

bool is_there(const unsigned char* page) {
  unsigned char flags = 0;
  (void)::mincore(const_cast<unsigned char*>(page), kPage, &flags);
  return (flags & 1U) != 0;
}

// "um": missing pages are served, "uw": writes are tracked.
bool is_watched(const unsigned char* page) {
  std::ifstream file("/proc/self/smaps");
  const auto wanted = reinterpret_cast<unsigned long>(page);
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    unsigned long start = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &start, &end) == 2)
      found = start <= wanted && wanted < end;
    if (found && line.starts_with("VmFlags:"))
      return line.find(" um") != line.npos || line.find(" uw") != line.npos;
  }
  ADD_FAILURE() << "no such mapping";
  return false;
}

// Waits until the server waits for the next event, like all other threads of this test.
void await_quiet_server() {
  for (;;) {
    bool quiet = true;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      pid_t tid = std::stoi(task.path().filename());
      quiet &= tid == ::gettid() || os::process_state(tid) == 'S';
    }
    if (quiet) return;
  }
}

class MemoryWatchesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    if (!can_serve_faults()) GTEST_SKIP() << "needs userfaultfd of Linux 6.7";
  }

  ProcessName self() const {
    auto key = os::process_key(::getpid());
    return {key->pid, key->start_time};
  }
  void add(const MissingMemory& memory, std::size_t holes = 0) {
    ASSERT_OK_AND_ASSIGN(WatchedMemory watched, memory.watch(holes));
    ASSERT_OK(watches_.add(self(), std::move(watched)));
  }

  test::TempDir directory_;
  MemoryWatches watches_{directory_.path()};
};

TEST_F(MemoryWatchesTest, ATouchedPageIsLoadedWithItsNeighbours) {
  MissingMemory memory;
  add(memory);
  EXPECT_FALSE(is_there(memory.at() + 20 * kPage));
  EXPECT_EQ(memory.first_of(20), mark(20));
  // The server loads 64 KB around the page. The faulting thread may resume before all are present.
  constexpr std::uint64_t kWindow = 64U << 10U;
  const std::uint64_t asked = memory.start() + 20 * kPage;
  const auto* last = reinterpret_cast<unsigned char*>(asked / kWindow * kWindow + kWindow - kPage);
  Deadline deadline = Deadline::after(std::chrono::seconds(20));
  while (!is_there(last) && !deadline.passed()) std::this_thread::yield();
  EXPECT_TRUE(is_there(last));
  EXPECT_EQ(memory.first_of(21), mark(21));
  EXPECT_FALSE(is_there(memory.at() + 60 * kPage));
  watches_.end_all();
}

TEST_F(MemoryWatchesTest, PagesThatWereNeverSavedAreZero) {
  MissingMemory memory;
  add(memory, 2);
  EXPECT_EQ(memory.first_of(kPages - 1), 0);
  EXPECT_EQ(memory.first_of(kPages - 3), mark(kPages - 3));
  watches_.end_all();
}

TEST_F(MemoryWatchesTest, DiscardedPagesAreZero) {
  MissingMemory memory;
  add(memory);
  ASSERT_EQ(::madvise(memory.at() + 8 * kPage, 8 * kPage, MADV_DONTNEED), 0);
  EXPECT_EQ(memory.first_of(9), 0);
  EXPECT_EQ(memory.first_of(16), mark(16));
  watches_.end_all();
}

TEST_F(MemoryWatchesTest, MovedPagesAreLoadedAtTheirNewAddress) {
  MissingMemory memory;
  add(memory);
  auto* location = static_cast<unsigned char*>(
      ::mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* moved = static_cast<unsigned char*>(::mremap(
      memory.at() + 32 * kPage, 16 * kPage, 16 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, location));
  ASSERT_EQ(moved, location);
  EXPECT_EQ(*const_cast<volatile unsigned char*>(moved + 3 * kPage), mark(35));
  watches_.end_all();
  ::munmap(location, kSize);
}

TEST_F(MemoryWatchesTest, AChildForkedBeforeTheMemoryIsCompleteGetsAllOfIt) {
  MissingMemory memory;
  add(memory);
  // The C library's fork() holds locks that the server needs, since it is in the same process here.
  auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    for (std::size_t i = 0; i < kPages; ++i)
      if (memory.first_of(i) != mark(i)) ::_exit(1);
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  watches_.complete_children();
  EXPECT_EQ(memory.first_of(1), mark(1));
  watches_.end_all();
}

TEST_F(MemoryWatchesTest, EndAllLoadsAllMemoryAndStopsWatching) {
  MissingMemory memory;
  add(memory, 1);
  EXPECT_TRUE(is_watched(memory.at()));
  EXPECT_EQ(memory.first_of(0), mark(0));
  await_quiet_server();
  watches_.end_all();
  EXPECT_FALSE(is_watched(memory.at()));
  for (std::size_t i = 0; i + 1 < kPages; ++i) {
    EXPECT_TRUE(is_there(memory.at() + i * kPage)) << i;
    EXPECT_EQ(memory.first_of(i), mark(i));
  }
  EXPECT_EQ(memory.first_of(kPages - 1), 0);
}

TEST_F(MemoryWatchesTest, AnEndedProcessDoesNotBlockOthers) {
  MissingMemory memory;
  ASSERT_OK_AND_ASSIGN(WatchedMemory watched, memory.watch());
  MissingMemory other;
  ASSERT_OK_AND_ASSIGN(WatchedMemory gone, other.watch());
  ASSERT_OK(watches_.add({1, 1}, std::move(gone)));
  ASSERT_OK(watches_.add(self(), std::move(watched)));
  {
    auto lock = watches_.lock();
    watches_.keep_only({self()});
    EXPECT_EQ(watches_.find({1, 1}), nullptr);
    EXPECT_NE(watches_.find(self()), nullptr);
  }
  EXPECT_EQ(memory.first_of(5), mark(5));
  watches_.end_all();
}

TEST(WatchedProcessesTest, AProcessNameIsAPidWithItsStartTime) {
  WatchedProcesses table;
  table.put({7, 100}, {UserFault(os::UniqueFd()), UserFault::Purpose::kWatch, {}});
  EXPECT_NE(table.find({7, 100}), nullptr);
  EXPECT_EQ(table.find({7, 101}), nullptr);
  EXPECT_FALSE(table.keep_only({{7, 100}}));
  EXPECT_TRUE(table.keep_only({{7, 101}}));
  EXPECT_EQ(table.find({7, 100}), nullptr);
}

TEST(WatchedProcessesTest, AWatchedProcessIsNotServedAndBecomesNoChild) {
  WatchedProcesses table;
  table.put({7, 100}, {UserFault(os::UniqueFd()), UserFault::Purpose::kWatch, {}});
  table.put({8, 100}, {UserFault(os::UniqueFd()), UserFault::Purpose::kServe, {}});
  EXPECT_EQ(table.served().size(), 1U);
  EXPECT_EQ(table.child(), nullptr);
  table.orphan_all();
  EXPECT_EQ(table.find({7, 100}), nullptr);
  EXPECT_EQ(table.find({8, 100}), nullptr);
  EXPECT_EQ(table.served().size(), 1U);
  ASSERT_NE(table.child(), nullptr);
  table.forget_child();
  EXPECT_TRUE(table.served().empty());
}

}  // namespace
}  // namespace sf::waypoint::native
