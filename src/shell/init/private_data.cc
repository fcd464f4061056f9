#include "shell/init/private_data.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

namespace sf::waypoint {
namespace {

constexpr std::uintptr_t kPage = 4096;

std::uintptr_t page_of(std::uintptr_t address) { return address / kPage * kPage; }
void* location(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

void leave_file() {
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(::getauxval(AT_PHDR));
  const unsigned long count = ::getauxval(AT_PHNUM);
  for (unsigned long i = 0; i < count; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_W) == 0) continue;
    const std::uintptr_t start = page_of(parts[i].p_vaddr);  // the program is not relocated
    const std::size_t size = page_of(parts[i].p_vaddr + parts[i].p_filesz + kPage - 1) - start;
    void* copy = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return;  // the segment remains a file mapping
    std::memcpy(copy, location(start), size);
    ::mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, location(start));
  }
  for (unsigned long i = 0; i < count; ++i) {
    if (parts[i].p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t start = page_of(parts[i].p_vaddr);
    ::mprotect(location(start), page_of(parts[i].p_vaddr + parts[i].p_memsz) - start, PROT_READ);
  }
}

}  // namespace sf::waypoint
