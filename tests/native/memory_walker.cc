// memory-walker: changes its memory on request with every kind of system call, and prints a hash of
// it.
//
//   walk <seed> <steps>   -> hash     random changes chosen by the seed
//   hash                  -> hash     of addresses, sizes and every byte
//   child                 -> hash     computed by a forked child, which then changes its copy
//   more <megabytes>      -> hash     one more filled region
//
// A request is a line on standard input, a reply a line on standard output.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMegabyte = 1U << 20U;

struct Region {
  unsigned char* start;
  std::size_t size;
};

class Walker {
 public:
  void walk(std::uint64_t seed, int steps) {
    chance_.seed(seed);
    for (int i = 0; i < steps; ++i) step();
  }

  void add(std::size_t size) {
    void* location =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (location == MAP_FAILED) return;
    Region region{static_cast<unsigned char*>(location), size};
    fill(region.start, size);
    regions_.push_back(region);
  }

  std::uint64_t hash() const {
    std::uint64_t value = 14695981039346656037ULL;
    auto mix = [&](std::uint64_t word) { value = (value ^ word) * 1099511628211ULL; };
    for (const Region& region : regions_) {
      mix(reinterpret_cast<std::uint64_t>(region.start));
      mix(region.size);
      for (std::size_t at = 0; at < region.size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, region.start + at, 8);
        mix(word);
      }
    }
    return value;
  }

  // The hash computed by a child while it and its parent write to the same pages.
  std::uint64_t hash_in_child() {
    int ends[2];
    if (::pipe(ends) != 0) return 0;
    pid_t child = ::fork();
    if (child == 0) {
      std::uint64_t seen = hash();
      for (const Region& region : regions_) region.start[0] ^= 1U;
      bool told = ::write(ends[1], &seen, sizeof seen) == sizeof seen;
      ::_exit(told ? 0 : 1);
    }
    std::uint64_t seen = 0;
    if (::read(ends[0], &seen, sizeof seen) != sizeof seen) seen = 0;
    ::close(ends[0]);
    ::close(ends[1]);
    ::waitpid(child, nullptr, 0);
    return seen;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : chance_() % limit; }

  void fill(unsigned char* at, std::size_t size) {
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      std::uint64_t word = chance_();
      std::memcpy(at + i, &word, 8);
    }
  }

  struct Part {
    unsigned char* start;
    std::size_t size;
  };
  Part part_of(const Region& region) {
    std::size_t pages = region.size / kPage;
    std::size_t first = below(pages);
    std::size_t count = 1 + below(std::min<std::size_t>(pages - first, 200));
    return {region.start + first * kPage, count * kPage};
  }

  void step() {
    if (regions_.size() < 2 || (regions_.size() < 6 && below(12) == 0))
      return add((1 + below(12)) * kMegabyte);
    std::size_t which = below(regions_.size());
    Region& region = regions_[which];
    Part part = part_of(region);
    switch (below(9)) {
      case 0:
      case 1:
        return fill(part.start, part.size);
      case 2:  // scattered bytes
        for (int i = 0; i < 40; ++i) region.start[below(region.size)] ^= 0x5aU;
        return;
      case 3:  // the range reads as zero afterwards
        ::madvise(part.start, part.size, MADV_DONTNEED);
        return;
      case 4:  // the range may read as old data or zero until it is written
        ::madvise(part.start, part.size, MADV_FREE);
        return fill(part.start, part.size);
      case 5:
        ::mprotect(part.start, part.size, PROT_READ);
        ::mprotect(part.start, part.size, PROT_READ | PROT_WRITE);
        return;
      case 6: {  // grows, shrinks or moves a region
        std::size_t size = (1 + below(14)) * kMegabyte;
        void* location = ::mremap(region.start, region.size, size, MREMAP_MAYMOVE);
        if (location != MAP_FAILED) region = {static_cast<unsigned char*>(location), size};
        return;
      }
      case 7: {  // moves the lower half, keeps the upper half
        std::size_t half = region.size / kPage / 2 * kPage;
        if (half == 0) return;
        void* room = ::mmap(nullptr, half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        void* moved = ::mremap(region.start, half, half, MREMAP_MAYMOVE | MREMAP_FIXED, room);
        if (moved == MAP_FAILED) return;
        region = {region.start + half, region.size - half};
        regions_.push_back({static_cast<unsigned char*>(moved), half});
        return;
      }
      default:
        if (regions_.size() < 3) return;
        ::munmap(region.start, region.size);
        regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  std::mt19937_64 chance_{1};
  std::vector<Region> regions_;
};

}  // namespace

int main() {
  Walker walker;
  char line[128];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    unsigned long long seed = 0;
    int steps = 0;
    std::uint64_t answer = 0;
    if (std::sscanf(line, "walk %llu %d", &seed, &steps) == 2) {
      walker.walk(seed, steps);
      answer = walker.hash();
    } else if (std::sscanf(line, "more %llu", &seed) == 1) {
      walker.add(seed * kMegabyte);
      answer = walker.hash();
    } else if (std::strncmp(line, "child", 5) == 0) {
      answer = walker.hash_in_child();
    } else {
      answer = walker.hash();
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(answer));
    std::fflush(stdout);
  }
}
