// busy-tree: runs without a pause and checks itself all the time.
//
//   busy-tree threads 16     16 threads that count
//   busy-tree processes 16   16 processes that count
//   busy-tree storm          processes that endlessly fork, exec, make threads and map memory
//   busy-tree vfork          waits like vfork() for a child that exits once /tmp/gate exists
//   busy-tree leaf 7         exits with status 7; run by the storm
//
// Requests are lines on standard input; the reply is one line:
//
//   epoch 5 -> epoch 5               sets the epoch
//   look    -> ok 5 100 203 ...      the epoch and all counters; "broken WHY" if a check failed
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kMost = 64;
constexpr int kWidth = 4;  // concurrent children of one forker
constexpr std::size_t kPage = 4096;

// Shared by all processes.
struct Board {
  std::atomic<std::uint64_t> count[kMost];
  std::atomic<const char*> broken;  // points to a literal, at the same address in every process
  std::atomic<int> epoch;
};

void check(Board& board, bool holds, const char* what) {
  if (!holds) board.broken = what;
}

// The number is kept in a register, in a local variable and on the board; all must agree.
[[noreturn]] void spin(Board& board, int index) {
  volatile std::uint64_t mine = 0;
  for (std::uint64_t n = 0;; ++n) {
    check(board, mine == n && board.count[index].load(std::memory_order_relaxed) == n,
          "a counter differs from its copy");
    mine = n + 1;
    board.count[index].store(n + 1, std::memory_order_relaxed);
  }
}

int end_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

[[noreturn]] void run_leaf(int code) {
  char text[16];
  std::snprintf(text, sizeof text, "%d", code);
  ::execl("/proc/self/exe", "busy-tree", "leaf", text, nullptr);
  ::_exit(99);
}

[[noreturn]] void fork_for_ever(Board& board, int index) {
  for (std::uint64_t n = 0;; ++n) {
    pid_t children[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      int code = static_cast<int>((n + static_cast<unsigned>(i)) % 90);
      children[i] = ::fork();
      if (children[i] != 0) continue;
      if (i % 2 == 0) run_leaf(code);
      if (i == 1) {  // also exercises an orphan
        if (::fork() == 0) ::_exit(0);
      }
      ::_exit(code);
    }
    for (int i = 0; i < kWidth; ++i)
      check(board, end_of(children[i]) == static_cast<int>((n + static_cast<unsigned>(i)) % 90),
            "a child ended otherwise");
    ++board.count[index];
  }
}

[[noreturn]] void spawn_for_ever(Board& board, int index) {
  for (int n = 0;; ++n) {
    std::string code = std::to_string(n % 90);
    char* arguments[] = {const_cast<char*>("busy-tree"), const_cast<char*>("leaf"), code.data(),
                         nullptr};
    pid_t child = 0;  // glibc implements it with vfork
    int failed = ::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ);
    check(board, failed == 0 && end_of(child) == n % 90, "a program ended otherwise");
    ++board.count[index];
  }
}

[[noreturn]] void exec_for_ever(Board& board, int index) {
  // The process itself executes another program repeatedly; only the number survives the exec.
  for (int n = 0;; ++n) {
    int ends[2];
    check(board, ::pipe(ends) == 0, "no pipe");
    pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], 1);
      char text[16];
      std::snprintf(text, sizeof text, "%d", n);
      ::execl("/proc/self/exe", "busy-tree", "relay", "5", text, nullptr);
      ::_exit(99);
    }
    ::close(ends[1]);
    char answer[32] = {};
    ssize_t size = 0;
    for (ssize_t got = 1; got > 0; size += got > 0 ? got : 0)
      got = ::read(ends[0], answer + size, sizeof answer - 1 - static_cast<std::size_t>(size));
    ::close(ends[0]);
    check(board, end_of(child) == 0 && std::atoi(answer) == n + 5,
          "a relay brought another number");
    ++board.count[index];
  }
}

[[noreturn]] void make_threads_for_ever(Board& board, int index) {
  for (;;) {
    std::atomic<int> sum = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kWidth; ++i) threads.emplace_back([&sum, i] { sum += i + 1; });
    for (std::thread& thread : threads) thread.join();
    check(board, sum == kWidth * (kWidth + 1) / 2, "a thread was lost");
    ++board.count[index];
  }
}

[[noreturn]] void map_for_ever(Board& board, int index) {
  for (std::uint64_t n = 1;; ++n) {
    std::size_t size = (1 + n % 40) * kPage;
    auto* location = static_cast<std::uint64_t*>(
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    check(board, location != MAP_FAILED, "no memory");
    for (std::size_t at = 0; at < size / 8; at += kPage / 8) location[at] = n + at;
    ::mprotect(location, kPage, PROT_READ);  // splits the mapping in two
    ::mprotect(location, kPage, PROT_READ | PROT_WRITE);
    location = static_cast<std::uint64_t*>(::mremap(location, size, 2 * size, MREMAP_MAYMOVE));
    bool whole = location != MAP_FAILED;
    for (std::size_t at = 0; whole && at < size / 8; at += kPage / 8)
      whole = location[at] == n + at;
    check(board, whole, "memory differs");
    ::munmap(location, 2 * size);
    ++board.count[index];
  }
}

int wait_for_gate(void*) {
  while (::access("/tmp/gate", F_OK) != 0) ::usleep(1000);
  ::_exit(0);
}

void vfork_once(Board& board) {
  static char stack[16384];
  pid_t child =
      ::clone(wait_for_gate, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
  check(board, end_of(child) == 0, "the child ended otherwise");
  ++board.count[0];
}

// Executes itself `left` more times and adds one each time.
int relay(int left, int number) {
  if (left == 0) return std::printf("%d", number) < 0 ? 1 : 0;
  char texts[2][16];
  std::snprintf(texts[0], sizeof texts[0], "%d", left - 1);
  std::snprintf(texts[1], sizeof texts[1], "%d", number + 1);
  ::execl("/proc/self/exe", "busy-tree", "relay", texts[0], texts[1], nullptr);
  return 99;
}

void answer_requests(const Board& board, std::atomic<int>& epoch, int counters) {
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    int wanted = 0;
    if (std::sscanf(line, "epoch %d", &wanted) == 1) {
      epoch = wanted;
      std::printf("epoch %d\n", wanted);
    } else if (const char* why = board.broken.load()) {
      std::printf("broken %s\n", why);
    } else {
      std::printf("ok %d", epoch.load());
      for (int i = 0; i < counters; ++i)
        std::printf(" %llu", static_cast<unsigned long long>(board.count[i].load()));
      std::printf("\n");
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (std::strcmp(what, "leaf") == 0) return number;
  if (std::strcmp(what, "relay") == 0 && argc > 3) return relay(number, std::atoi(argv[3]));

  void* location =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (location == MAP_FAILED || number > kMost) return 1;
  Board& board = *new (location) Board();
  if (std::strcmp(what, "threads") == 0) {
    for (int i = 0; i < number; ++i) std::thread(spin, std::ref(board), i).detach();
  } else if (std::strcmp(what, "processes") == 0) {
    for (int i = 0; i < number; ++i)
      if (::fork() == 0) spin(board, i);
  } else if (std::strcmp(what, "storm") == 0) {
    void (*const kinds[])(Board&, int) = {fork_for_ever, spawn_for_ever, exec_for_ever,
                                          make_threads_for_ever, map_for_ever};
    for (void (*kind)(Board&, int) : kinds) {
      if (::fork() == 0) kind(board, number);
      ++number;
    }
  } else if (std::strcmp(what, "vfork") == 0) {
    std::thread(vfork_once, std::ref(board)).detach();
    number = 1;
  } else {
    return 1;
  }
  answer_requests(board, board.epoch, number);
}
