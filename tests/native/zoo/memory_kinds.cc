// Private memory: anonymous memory with every kind of advice, files with modified pages, the heap.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

#include "looking.h"
#include "resource.h"

namespace zoo {
namespace {

constexpr std::size_t kPage = 4096;

// Fills some pages and leaves the others untouched.
void fill_some(Chance& chance, char* start, std::size_t pages) {
  for (std::size_t i = 0; i < pages; ++i) {
    if (chance.once_in(3)) continue;
    std::string bytes = chance.bytes(64);
    for (std::size_t at = 0; at < kPage; at += bytes.size())
      std::memcpy(start + i * kPage + at, bytes.data(), bytes.size());
    std::memcpy(start + i * kPage, &i, sizeof i);
  }
}

class Mapping : public Resource {
 public:
  void look(Report& report) override {
    report.say("at", hex(reinterpret_cast<std::uintptr_t>(start_)));
    report.say("bytes", memory_hash(start_, size()));
    report.say("flags", mappings_in(start_, size()));
  }
  void disturb() override {
    ::munlock(start_, size());
    ::mmap(start_, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::memset(start_, 0xdb, kPage);
  }
  bool is_inherited() const override { return true; }

 protected:
  std::size_t size() const { return pages_ * kPage; }
  void map(int protection, int flags, int fd, off_t from = 0) {
    void* location = ::mmap(nullptr, size(), protection, flags, fd, from);
    if (location == MAP_FAILED) die("mmap");
    start_ = static_cast<char*>(location);
  }

  char* start_ = nullptr;
  std::size_t pages_ = 0;
};

class PrivateMemory : public Mapping {
 public:
  void make(Chance& chance, const std::string&) override {
    // Mappings above 4 MB are tracked incrementally and restored on first access.
    pages_ = chance.once_in(6) ? 1100 + chance.below(600U) : 1 + chance.below(60U);
    map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    fill_some(chance, start_, pages_);
    for (int i = chance.below(4); i > 0; --i) {
      std::size_t first = chance.below(pages_);
      std::size_t count = 1 + chance.below(pages_ - first);
      int protection = chance.of({PROT_NONE, PROT_READ, PROT_READ | PROT_EXEC});
      must(::mprotect(start_ + first * kPage, count * kPage, protection), "mprotect");
    }
  }
};

class AdvisedMemory : public Mapping {
 public:
  void make(Chance& chance, const std::string&) override {
    pages_ = 4 + chance.below(40U);
    int extra = chance.of({0, 0, MAP_NORESERVE});
    map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | extra, -1);
    fill_some(chance, start_, pages_);
    for (int i = 1 + chance.below(4); i > 0; --i) {
      std::size_t first = chance.below(pages_);
      std::size_t count = 1 + chance.below(pages_ - first);
      int advice =
          chance.of({MADV_DONTFORK, MADV_WIPEONFORK, MADV_DONTDUMP, MADV_HUGEPAGE, MADV_NOHUGEPAGE,
                     MADV_SEQUENTIAL, MADV_RANDOM, MADV_DONTNEED, MADV_COLD, MADV_PAGEOUT});
      ::madvise(start_ + first * kPage, count * kPage, advice);  // some kernels do not support all
      if (advice == MADV_DONTFORK) is_for_children_ = false;
    }
    std::size_t half = size() / kPage / 2 * kPage;
    if (chance.once_in(3)) ::mlock2(start_, half, chance.of({0U, unsigned{MLOCK_ONFAULT}}));
    if (chance.once_in(4)) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): prctl takes numbers
      ::prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, start_ + half, size() - half, "zoo");
    }
  }
  bool is_inherited() const override { return is_for_children_; }

 private:
  bool is_for_children_ = true;
};

class GrowingStack : public Mapping {
 public:
  void make(Chance& chance, const std::string&) override {
    pages_ = 8 + chance.below(24U);
    // Leave room below the stack to grow into.
    map(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    std::size_t below = pages_ / 2 * kPage;
    must(::munmap(start_, below), "munmap");
    void* stack = ::mmap(start_ + below, size() - below, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
    if (stack == MAP_FAILED) die("mmap of a stack");
    start_ += below;
    pages_ -= below / kPage;
    fill_some(chance, start_, pages_);
  }
};

class PrivateFile : public Mapping {
 public:
  void make(Chance& chance, const std::string& path) override {
    pages_ = 2 + chance.below(20U);
    std::size_t skipped = chance.below(3U);
    write_whole(path, chance.bytes((pages_ + skipped) * kPage - chance.below(kPage)));
    Fd file(must(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path));
    map(PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), static_cast<off_t>(skipped * kPage));
    for (std::size_t i = 0; i < pages_; ++i)
      if (chance.once_in(3)) start_[i * kPage + chance.below(64U)] ^= 0x33;
    if (chance.once_in(3)) must(::unlink(path.c_str()), path);
    if (chance.once_in(4)) must(::mprotect(start_, kPage, PROT_READ), "mprotect");
  }
};

class Heap : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    size_ = (1 + chance.below(30U)) * kPage + chance.below(kPage);
    void* location = ::sbrk(static_cast<std::intptr_t>(size_));
    if (location == reinterpret_cast<void*>(-1)) die("sbrk");
    start_ = static_cast<char*>(location);
    std::string bytes = chance.bytes(size_);
    std::memcpy(start_, bytes.data(), size_);
  }
  void look(Report& report) override {
    report.say("at", hex(reinterpret_cast<std::uintptr_t>(start_)));
    report.say("bytes", hex(hash_of({start_, size_})));
  }
  void disturb() override { start_[size_ / 2] ^= 0x11; }
  bool is_inherited() const override { return true; }

 private:
  char* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::vector<Kind> memory_kinds() {
  return {{"private-memory", create<PrivateMemory>},
          {"advised-memory", create<AdvisedMemory>},
          {"growing-stack", create<GrowingStack>},
          {"private-file", create<PrivateFile>},
          {"heap", create<Heap>}};
}

}  // namespace zoo
