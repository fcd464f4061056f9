// Memory: private, shared, named, and thread-local.
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>

#include "feature.h"

namespace stateful {
namespace {

constexpr std::size_t kMiB = 1U << 20U;
constexpr std::size_t kPage = 4096;

char* map(std::size_t size, int protection, int flags, int fd = -1) {
  void* at = ::mmap(nullptr, size, protection, flags, fd, 0);
  if (at == MAP_FAILED) die("mmap");
  return static_cast<char*>(at);
}

void fill(char* at, std::size_t size, unsigned seed) {
  std::string bytes = pattern(size, seed);
  std::memcpy(at, bytes.data(), size);
}

// Four threads that wait on a condition variable, each with thread-local data.
struct Crew {
  static constexpr int kSize = 4;
  std::mutex mutex;
  std::condition_variable wake;
  int round = 0;
  int reported = 0;
  long values[kSize] = {};
  long tids[kSize] = {};
};

thread_local long thread_value = 0;

void crew_member(Crew& crew, int index) {
  thread_value = 1000L * (index + 1);
  int seen = 0;
  std::unique_lock lock(crew.mutex);
  for (;;) {
    crew.wake.wait(lock, [&] { return crew.round != seen; });
    seen = crew.round;
    crew.values[index] = thread_value;
    crew.tids[index] = ::gettid();
    ++crew.reported;
    crew.wake.notify_all();
  }
}

Probe threads(const std::string&) {
  auto crew = std::make_shared<Crew>();
  for (int index = 0; index < Crew::kSize; ++index) {
    std::thread([crew, index] { crew_member(*crew, index); }).detach();
  }
  return [crew](Answer& answer) {
    std::unique_lock lock(crew->mutex);
    crew->reported = 0;
    ++crew->round;
    crew->wake.notify_all();
    crew->wake.wait(lock, [&] { return crew->reported == Crew::kSize; });
    for (int index = 0; index < Crew::kSize; ++index) {
      answer.say("thread " + std::to_string(crew->tids[index]), crew->values[index]);
    }
    answer.say("threads", own_status("Threads"));
  };
}

Probe anonymous_memory(const std::string&) {
  constexpr std::size_t kSize = 8 * kMiB;
  char* data = map(kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  fill(data, kSize, 1);
  char* sealed = map(kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  fill(sealed, kPage, 2);
  if (::mprotect(sealed, kPage, PROT_READ) != 0) die("mprotect");
  return [data, sealed](Answer& answer) {
    answer.say("address", static_cast<long>(reinterpret_cast<std::uintptr_t>(data)));
    answer.say("private", hash_of({data, kSize}));
    answer.say("read-only", hash_of({sealed, kPage}));
    std::string maps = read_whole_file("/proc/self/maps");
    answer.say("code", maps.substr(0, maps.find(" 0")));  // without the device, see known_limits.md
  };
}

// A mapping shared with a child: this process must see the child's writes, before and after a
// restore.
Probe shared_anonymous_memory(const std::string&) {
  char* data = map(kMiB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  fill(data, kMiB, 3);
  int to_child[2];
  int from_child[2];
  must(::pipe2(to_child, O_CLOEXEC), "pipe");
  must(::pipe2(from_child, O_CLOEXEC), "pipe");
  pid_t child = must(::fork(), "fork");
  if (child == 0) {
    char byte = 0;
    while (::read(to_child[0], &byte, 1) == 1) {
      data[kPage] = static_cast<char>(byte + 1);
      if (::write(from_child[1], &byte, 1) != 1) break;
    }
    ::_exit(0);
  }
  return [=](Answer& answer) {
    answer.say("child", child);
    answer.say("hash", hash_of({data + 2 * kPage, kMiB - 2 * kPage}));
    char byte = 'a';
    if (::write(to_child[1], &byte, 1) != 1 || ::read(from_child[0], &byte, 1) != 1) die("child");
    answer.say("written by the child", std::string(1, data[kPage]));
    data[kPage] = '-';
  };
}

Probe memory_file(const std::string&) {
  int fd = must(::memfd_create("sf-memfd", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create");
  must(::ftruncate(fd, static_cast<off_t>(kMiB)), "ftruncate");
  char* data = map(kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  fill(data, kMiB, 4);
  must(::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), "seal");
  must(static_cast<int>(::lseek(fd, 77, SEEK_SET)), "lseek");
  return [=](Answer& answer) {
    answer.say("mapped", hash_of({data, kMiB}));
    std::string read_back(kMiB, '\0');
    if (::pread(fd, read_back.data(), kMiB, 0) != static_cast<ssize_t>(kMiB)) die("pread");
    answer.say("read", hash_of(read_back));
    answer.say("offset", ::lseek(fd, 0, SEEK_CUR));
    answer.say("seals", ::fcntl(fd, F_GET_SEALS));
  };
}

Probe posix_shared_memory(const std::string&) {
  int fd = must(::shm_open("/sf-posix", O_RDWR | O_CREAT, 0600), "shm_open");
  must(::ftruncate(fd, static_cast<off_t>(kMiB)), "ftruncate");
  char* data = map(kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  fill(data, kMiB, 5);
  return [=](Answer& answer) {
    answer.say("mapped", hash_of({data, kMiB}));
    int again = must(::shm_open("/sf-posix", O_RDONLY, 0), "shm_open again");
    const char* other = map(kMiB, PROT_READ, MAP_SHARED, again);
    data[0] = 'x';
    answer.say("same object", other[0] == 'x' ? 1 : 0);
    data[0] = pattern(1, 5)[0];
    ::munmap(const_cast<char*>(other), kMiB);
    ::close(again);
  };
}

Probe shared_file_mapping(const std::string& dir) {
  std::string path = dir + "/mapped";
  write_whole_file(path, pattern(kMiB, 6));
  int fd = must(::open(path.c_str(), O_RDWR | O_CLOEXEC), "open");
  char* data = map(kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  std::string_view("through the mapping").copy(data, kMiB);
  data[kPage] = 'n';
  return [=](Answer& answer) {
    answer.say("mapped", hash_of({data, kMiB}));
    answer.say("file", hash_of(read_whole_file(path)));
    data[kPage] = 'y';
    answer.say("write reaches the file", std::string(1, read_whole_file(path)[kPage]));
    data[kPage] = 'n';
    answer.say("and again", std::string(1, read_whole_file(path)[kPage]));
  };
}

bool can_be_read(const char* page) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC), "pipe");
  bool could = ::write(ends[1], page, 1) == 1;
  ::close(ends[0]);
  ::close(ends[1]);
  return could;
}

// Guard pages (MADV_GUARD_INSTALL) in memory with content, in memory tracked by the engine, and in
// a mapped file.
Probe guards(const std::string& dir) {
  constexpr int kInstall = 102;  // MADV_GUARD_INSTALL
  constexpr int kRemove = 103;
  constexpr std::size_t kLarge = 8 * kMiB;
  char* large = map(kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  fill(large, kLarge, 17);
  if (::madvise(large + 3 * kPage, 2 * kPage, kInstall) != 0)
    return [](Answer& answer) { answer.say("guards", "this kernel has none"); };
  must(::madvise(large + kLarge - kPage, kPage, kInstall), "guard");
  char* empty = map(16 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  must(::madvise(empty, kPage, kInstall), "guard");
  write_whole_file(dir + "/guarded", pattern(4 * kPage, 18));
  int fd = must(::open((dir + "/guarded").c_str(), O_RDONLY | O_CLOEXEC), "open");
  char* file = map(4 * kPage, PROT_READ, MAP_PRIVATE, fd);
  must(::madvise(file + kPage, kPage, kInstall), "guard of a file");
  return [=](Answer& answer) {
    std::string seen;
    for (std::size_t i = 0; i < 8; ++i) seen += can_be_read(large + i * kPage) ? '.' : 'G';
    seen += can_be_read(large + kLarge - kPage) ? '.' : 'G';
    for (std::size_t i = 0; i < 4; ++i) seen += can_be_read(empty + i * kPage) ? '.' : 'G';
    for (std::size_t i = 0; i < 4; ++i) seen += can_be_read(file + i * kPage) ? '.' : 'G';
    answer.say("guards", seen);
    answer.say("before", hash_of({large, 3 * kPage}));
    answer.say("behind", hash_of({large + 5 * kPage, kLarge - 6 * kPage}));
    must(::madvise(large + 3 * kPage, kPage, kRemove), "no guard");
    answer.say("under it", hash_of({large + 3 * kPage, kPage}));
    must(::madvise(large + 3 * kPage, kPage, kInstall), "guard");
  };
}

// Large memory in adjacent mappings. Its end is unmapped; memory that grows there again must be
// empty.
Probe regrown_memory(const std::string&) {
  constexpr std::size_t kLarge = 8 * kMiB;
  char* large = map(kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  fill(large, kLarge, 19);
  must(::mprotect(large + 2 * kMiB + 4 * kPage, kMiB + kPage, PROT_READ), "mprotect");
  return [=](Answer& answer) {
    char* end = large + 6 * kMiB;
    must(::munmap(end, kLarge - 6 * kMiB), "munmap");
    char* rest = large + 4 * kMiB;
    if (::mremap(rest, 2 * kMiB, 4 * kMiB, 0) == MAP_FAILED) die("mremap");
    answer.say("kept", hash_of({large, 6 * kMiB}));
    answer.say("grown", hash_of({end, 2 * kMiB}));
  };
}

Probe sysv_shared_memory(const std::string&) {
  int id = must(::shmget(0x5f01, kMiB, IPC_CREAT | 0600), "shmget");
  void* at = ::shmat(id, nullptr, 0);
  if (reinterpret_cast<std::intptr_t>(at) == -1) die("shmat");
  fill(static_cast<char*>(at), kMiB, 7);
  return [=](Answer& answer) {
    answer.say("hash", hash_of({static_cast<char*>(at), kMiB}));
    answer.say("id by key", ::shmget(0x5f01, 0, 0));
    shmid_ds info{};
    must(::shmctl(id, IPC_STAT, &info), "shmctl");
    answer.say("attached", static_cast<long>(info.shm_nattch));
    answer.say("mode", info.shm_perm.mode);
  };
}

// A segment that is removed while it is attached twice, and a segment of another user.
Probe sysv_removed(const std::string&) {
  int removed = must(::shmget(IPC_PRIVATE, 5000, IPC_CREAT | 0640), "shmget");
  auto* once = static_cast<char*>(::shmat(removed, nullptr, 0));
  auto* again = static_cast<char*>(::shmat(removed, nullptr, SHM_RDONLY));
  if (once == MAP_FAILED || again == MAP_FAILED) die("shmat");
  must(::shmctl(removed, IPC_RMID, nullptr), "IPC_RMID");
  std::strcpy(once, "shared");
  must(::seteuid(4321), "seteuid");
  int others = must(::shmget(0x5f09, 4096, IPC_CREAT | 0644), "shmget");
  must(::seteuid(0), "seteuid");
  return [=](Answer& answer) {
    answer.say("text", again);
    once[0] = 'S';
    answer.say("same memory", again[0] == 'S' ? 1 : 0);
    once[0] = 's';
    bool can_write = ::mprotect(again, 4096, PROT_READ | PROT_WRITE) == 0;
    answer.say("for reading alone", can_write ? 0 : 1);
    shmid_ds info{};
    must(::shmctl(removed, IPC_STAT, &info), "shmctl");
    answer.say("mode", info.shm_perm.mode);
    answer.say("attached", static_cast<long>(info.shm_nattch));
    must(::shmctl(others, IPC_STAT, &info), "shmctl");
    answer.say("creator", info.shm_perm.cuid);
    answer.say("owner", info.shm_perm.uid);
    answer.say("id", others);
  };
}

Probe sysv_semaphores(const std::string&) {
  int id = must(::semget(0x5f02, 3, IPC_CREAT | 0600), "semget");
  for (unsigned short index = 0; index < 3; ++index) {
    sembuf up{index, static_cast<short>(index * 10 + 1), 0};
    must(::semop(id, &up, 1), "semop");
  }
  return [=](Answer& answer) {
    answer.say("id by key", ::semget(0x5f02, 0, 0));
    for (int index = 0; index < 3; ++index) {
      answer.say("value " + std::to_string(index), ::semctl(id, index, GETVAL));
    }
  };
}

Probe semaphores_to_undo(const std::string&) {
  int id = must(::semget(0x5f07, 1, IPC_CREAT | 0600), "semget");
  sembuf up{0, 5, SEM_UNDO};
  must(::semop(id, &up, 1), "semop");
  return [=](Answer& answer) { answer.say("value", ::semctl(id, 0, GETVAL)); };
}

struct Letter {
  long type;
  char text[16];
};

// Empties the queue and fills it again in the same order, so that the probe can be repeated.
Probe sysv_messages(const std::string&) {
  int id = must(::msgget(0x5f03, IPC_CREAT | 0600), "msgget");
  for (long type : {3L, 1L, 2L}) {
    Letter letter{type, {}};
    std::snprintf(letter.text, sizeof letter.text, "letter %ld", type);
    must(::msgsnd(id, &letter, sizeof letter.text, IPC_NOWAIT), "msgsnd");
  }
  return [=](Answer& answer) {
    answer.say("id by key", ::msgget(0x5f03, 0));
    std::vector<Letter> letters;
    Letter letter{};
    while (::msgrcv(id, &letter, sizeof letter.text, 0, IPC_NOWAIT) >= 0) letters.push_back(letter);
    for (const Letter& each : letters) {
      answer.say("type " + std::to_string(each.type), each.text);
      must(::msgsnd(id, &each, sizeof each.text, IPC_NOWAIT), "msgsnd");
    }
  };
}

}  // namespace

std::vector<Feature> memory_features() {
  return {{"guards", guards},
          {"regrown-memory", regrown_memory},
          {"threads", threads},
          {"anonymous-memory", anonymous_memory},
          {"shared-anonymous-memory", shared_anonymous_memory},
          {"memfd", memory_file},
          {"posix-shared-memory", posix_shared_memory},
          {"shared-file-mapping", shared_file_mapping},
          {"sysv-shared-memory", sysv_shared_memory},
          {"sysv-removed", sysv_removed},
          {"sysv-semaphores", sysv_semaphores},
          {"semaphores-to-undo", semaphores_to_undo},
          {"sysv-messages", sysv_messages}};
}

}  // namespace stateful
