// Shared memory: anonymous, files, memfds, POSIX and System V objects.
#include <fcntl.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

constexpr std::size_t kPage = 4096;

// The first word must equal a count in a file. look() increments both, so memory that is no longer
// shared falls behind.
class SharedMapping : public Resource {
 public:
  void look(Report& report) override {
    report.say("at", hex(reinterpret_cast<std::uintptr_t>(start_)));
    report.say("bytes", memory_hash(start_ + kPage, size() - kPage));
    report.say("flags", mappings_in(start_, size()));
    if (file_.open()) say_descriptor(report, "fd", file_.get());
    std::int64_t here = 0;
    std::memcpy(&here, start_, sizeof here);
    std::int64_t there = count_.get();
    report.say("apart", here - there);
    ++here;
    std::memcpy(start_, &here, sizeof here);
    count_.set(there + 1);
  }
  void disturb() override {
    must(::mprotect(start_, size(), PROT_READ | PROT_WRITE), "mprotect");
    start_[kPage] = static_cast<char>(start_[kPage] + 1);  // each holder adds one
    start_[kPage + 1] ^= static_cast<char>(::getpid());
    file_.reset();
    ::madvise(start_, size(), MADV_DONTFORK);
  }
  bool is_inherited() const override { return true; }

 protected:
  std::size_t size() const { return pages_ * kPage; }
  void map(Chance& chance, int fd, const std::string& path) {
    void* location = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE,
                            MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (location == MAP_FAILED) die("mmap of shared memory");
    start_ = static_cast<char*>(location);
    for (std::size_t i = 1; i < pages_; ++i) {
      if (chance.once_in(3)) continue;
      std::string bytes = chance.bytes(100);
      std::memcpy(start_ + i * kPage + chance.below(3000U), bytes.data(), bytes.size());
    }
    std::int64_t zero = 0;
    std::memcpy(start_, &zero, sizeof zero);
    count_.make(path);
    if (chance.once_in(4) && pages_ > 2)
      must(::mprotect(start_ + 2 * kPage, size() - 2 * kPage, PROT_READ), "mprotect");
  }

  char* start_ = nullptr;
  std::size_t pages_ = 0;
  Fd file_;
  SharedCount count_;
};

class SharedAnonymous : public SharedMapping {
 public:
  void make(Chance& chance, const std::string& path) override {
    pages_ = chance.once_in(5) ? 1500 : 2 + chance.below(40U);
    map(chance, -1, path);
  }
};

class SharedFile : public SharedMapping {
 public:
  void make(Chance& chance, const std::string& path) override {
    pages_ = 2 + chance.below(20U);
    file_.reset(must(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path));
    must(::ftruncate(file_.get(), static_cast<off_t>(size())), path);
    map(chance, file_.get(), path);
    if (chance.flip()) file_.reset();
    if (chance.once_in(3)) must(::unlink(path.c_str()), path);
  }
};

class MemoryFile : public SharedMapping {
 public:
  void make(Chance& chance, const std::string& path) override {
    pages_ = 2 + chance.below(20U);
    file_.reset(must(::memfd_create(chance.letters(5).c_str(),
                                    MFD_ALLOW_SEALING | chance.of({0U, unsigned{MFD_CLOEXEC}})),
                     "memfd_create"));
    must(::ftruncate(file_.get(), static_cast<off_t>(size()) + 10), "ftruncate");
    map(chance, file_.get(), path);
    must(::lseek(file_.get(), chance.below(5000), SEEK_SET), "lseek");
    if (chance.flip())
      must(::fcntl(file_.get(), F_ADD_SEALS, chance.of({F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL})),
           "F_ADD_SEALS");
    keeps_file_ = chance.flip();
    if (!keeps_file_) file_.reset();
  }
  void look(Report& report) override {
    SharedMapping::look(report);
    if (!keeps_file_) return;
    report.say_result("seals", ::fcntl(file_.get(), F_GET_SEALS));
    report.say_result("offset", ::lseek(file_.get(), 0, SEEK_CUR));
    report.say_result("end", ::lseek(file_.get(), 0, SEEK_CUR));
  }

 private:
  bool keeps_file_ = false;
};

// One memfd in overlapping mappings: shared, and private with modified pages.
class MappedTwice : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    Fd file(must(::memfd_create("twice", MFD_CLOEXEC), "memfd_create"));
    must(::ftruncate(file.get(), kPages * kPage), "ftruncate");
    for (int i = 2 + chance.below(3); i > 0; --i) {
      std::size_t first = chance.below(kPages - 2);
      std::size_t pages = 2 + chance.below(kPages - first - 1);
      bool is_private = i > 1 && chance.flip();
      void* location = ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE,
                              is_private ? MAP_PRIVATE : MAP_SHARED, file.get(),
                              static_cast<off_t>(first * kPage));
      if (location == MAP_FAILED) die("mmap");
      pieces_.push_back({static_cast<char*>(location), pages * kPage});
      std::string bytes = chance.bytes(300);
      std::memcpy(pieces_.back().start + chance.below(kPage), bytes.data(), bytes.size());
    }
    if (!chance.flip()) return;
    Piece& moved = pieces_.front();  // moves half of it elsewhere
    void* location =
        ::mremap(moved.start, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED,
                 ::mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (location == MAP_FAILED) die("mremap");
    moved = {moved.start + kPage, moved.size - kPage};
    pieces_.push_back({static_cast<char*>(location), kPage});
  }
  void look(Report& report) override {
    for (const Piece& piece : pieces_) {
      report.say("at", hex(reinterpret_cast<std::uintptr_t>(piece.start)));
      report.say("bytes", memory_hash(piece.start, piece.size));
      report.say("flags", mappings_in(piece.start, piece.size));
    }
  }
  void disturb() override {
    for (const Piece& piece : pieces_) ++piece.start[7];
    ::munmap(pieces_.back().start, kPage);
  }
  bool is_inherited() const override { return true; }

 private:
  static constexpr std::size_t kPages = 12;
  struct Piece {
    char* start;
    std::size_t size;
  };
  std::vector<Piece> pieces_;
};

class PosixSharedMemory : public SharedMapping {
 public:
  void make(Chance& chance, const std::string& path) override {
    std::string name = path;
    for (char& c : name)
      if (c == '/') c = '_';
    name_ = "/dev/shm/" + name;
    pages_ = 2 + chance.below(20U);
    file_.reset(must(::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666), name_));
    must(::ftruncate(file_.get(), static_cast<off_t>(size())), name_);
    map(chance, file_.get(), path);
    if (chance.flip()) file_.reset();
    if (chance.once_in(3)) must(::unlink(name_.c_str()), name_);
  }
  void look(Report& report) override {
    SharedMapping::look(report);
    report.say("named", ::access(name_.c_str(), F_OK) == 0 ? 1 : 0);
  }

 private:
  std::string name_;
};

// A POSIX semaphore in a mapped file.
class NamedSemaphore : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    Fd file(must(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path));
    must(::ftruncate(file.get(), sizeof(sem_t)), path);
    void* location =
        ::mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (location == MAP_FAILED) die("mmap of a semaphore");
    semaphore_ = static_cast<sem_t*>(location);
    must(::sem_init(semaphore_, 1, 1 + chance.below(20U)), "sem_init");
  }
  void look(Report& report) override {
    report.say_result("took", ::sem_trywait(semaphore_));
    ::sem_post(semaphore_);
    int value = -1;
    ::sem_getvalue(semaphore_, &value);
    report.say("value", value);
  }
  void disturb() override { ::sem_post(semaphore_); }
  bool is_inherited() const override { return true; }

 private:
  sem_t* semaphore_ = nullptr;
};

class SysvMemory : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    size_ = (1 + chance.below(8U)) * kPage;
    bool has_key = chance.flip();
    key_ = has_key ? static_cast<key_t>(hash_of(path) & 0x7fffffffU) | 1 : IPC_PRIVATE;
    id_ = must(::shmget(key_, size_, IPC_CREAT | 0640), "shmget");
    int flags = chance.of({0, 0, SHM_RDONLY});
    void* other = ::shmat(id_, nullptr, 0);
    start_ = ::shmat(id_, nullptr, flags);
    if (start_ == reinterpret_cast<void*>(-1)) die("shmat");
    std::string bytes = chance.bytes(size_);
    std::memcpy(other, bytes.data(), size_);
    if (chance.flip()) ::shmdt(other);
    if (chance.once_in(3)) must(::shmctl(id_, IPC_RMID, nullptr), "IPC_RMID");
  }
  void look(Report& report) override {
    report.say("id", id_).say("at", hex(reinterpret_cast<std::uintptr_t>(start_)));
    report.say("bytes", memory_hash(start_, size_));
    report.say("flags", mappings_in(start_, size_));
    shmid_ds info{};
    report.say_result("stat", ::shmctl(id_, IPC_STAT, &info));
    report.say("mode", info.shm_perm.mode).say("key", info.shm_perm.__key);
    report.say("size", info.shm_segsz).say("attached", info.shm_nattch);
  }
  void disturb() override {
    if (void* location = ::shmat(id_, nullptr, 0); location != reinterpret_cast<void*>(-1))
      ++*static_cast<char*>(location);
    ::shmdt(start_);
  }

 private:
  key_t key_ = 0;
  int id_ = -1;
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

class SysvSemaphores : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    count_ = 1 + chance.below(6);
    key_t key = chance.flip() ? static_cast<key_t>(hash_of(path) & 0x7fffffffU) | 1 : IPC_PRIVATE;
    id_ = must(::semget(key, count_, IPC_CREAT | 0666), "semget");
    for (int i = 0; i < count_; ++i) {
      sembuf step{static_cast<unsigned short>(i), static_cast<short>(1 + chance.below(100)), 0};
      must(::semop(id_, &step, 1), "semop");
    }
  }
  void look(Report& report) override {
    report.say("id", id_);
    for (int i = 0; i < count_; ++i)
      report.say_result("value" + std::to_string(i), ::semctl(id_, i, GETVAL));
    semid_ds info{};
    union {
      semid_ds* location;
      int value;
    } argument{&info};
    report.say_result("stat", ::semctl(id_, 0, IPC_STAT, argument));
    report.say("mode", info.sem_perm.mode).say("key", info.sem_perm.__key);
  }
  void disturb() override {
    sembuf step{0, 1, 0};
    ::semop(id_, &step, 1);
  }
  bool is_inherited() const override { return true; }

 private:
  int id_ = -1;
  int count_ = 0;
};

class SysvMessages : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    key_t key = chance.flip() ? static_cast<key_t>(hash_of(path) & 0x7fffffffU) | 1 : IPC_PRIVATE;
    id_ = must(::msgget(key, IPC_CREAT | 0666), "msgget");
    for (int i = chance.below(8); i > 0; --i) {
      Message message{1 + chance.below(3L), {}};
      std::size_t size = chance.below(sizeof message.text);
      std::memcpy(message.text, chance.bytes(size).data(), size);
      must(::msgsnd(id_, &message, size, IPC_NOWAIT), "msgsnd");
    }
  }
  void look(Report& report) override {
    report.say("id", id_);
    // Receive each message and send it again, in order.
    msqid_ds info{};
    report.say_result("stat", ::msgctl(id_, IPC_STAT, &info));
    report.say("mode", info.msg_perm.mode).say("count", info.msg_qnum);
    std::uint64_t all = 0;
    for (msgqnum_t i = 0; i < info.msg_qnum; ++i) {
      Message message{};
      ssize_t size = ::msgrcv(id_, &message, sizeof message.text, 0, IPC_NOWAIT);
      if (size < 0) break;
      all = all * 31 + hash_of({message.text, static_cast<std::size_t>(size)}) +
            static_cast<std::uint64_t>(message.type);
      must(::msgsnd(id_, &message, static_cast<std::size_t>(size), IPC_NOWAIT), "msgsnd");
    }
    report.say("messages", hex(all));
  }
  void disturb() override {
    Message message{7, "disturbed"};
    ::msgsnd(id_, &message, 9, IPC_NOWAIT);
  }
  bool is_inherited() const override { return true; }

 private:
  struct Message {
    long type;
    char text[200];
  };
  int id_ = -1;
};

}  // namespace

std::vector<Kind> shared_memory_kinds() {
  return {{"shared-anonymous", create<SharedAnonymous>},
          {"shared-file", create<SharedFile>},
          {"memory-file", create<MemoryFile>},
          {"mapped-twice", create<MappedTwice>},
          {"posix-shared-memory", create<PosixSharedMemory>},
          {"named-semaphore", create<NamedSemaphore>},
          {"sysv-memory", create<SysvMemory>},
          {"sysv-semaphores", create<SysvSemaphores>},
          {"sysv-messages", create<SysvMessages>}};
}

}  // namespace zoo
