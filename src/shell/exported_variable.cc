#include "shell/exported_variable.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "os/fd.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxTable = 16U << 20U;

template <typename T>
std::optional<std::vector<T>> read_table(int fd, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes > kMaxTable) return std::nullopt;
  std::vector<T> table(bytes / sizeof(T));
  const std::size_t size = table.size() * sizeof(T);
  if (::pread(fd, table.data(), size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size))
    return std::nullopt;
  return table;
}

std::optional<Elf64_Sym> find_symbol(int fd, const Elf64_Ehdr& header, const std::string& name) {
  auto sections = read_table<Elf64_Shdr>(fd, header.e_shoff,
                                         std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (!sections) return std::nullopt;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections->size()) continue;
    const Elf64_Shdr& strings = (*sections)[section.sh_link];
    auto symbols = read_table<Elf64_Sym>(fd, section.sh_offset, section.sh_size);
    auto names = read_table<char>(fd, strings.sh_offset, strings.sh_size);
    if (!symbols || !names) return std::nullopt;
    for (const Elf64_Sym& symbol : *symbols) {
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      // With the zero at its end.
      if (symbol.st_name + name.size() >= names->size()) continue;
      if (std::memcmp(names->data() + symbol.st_name, name.c_str(), name.size() + 1) == 0)
        return symbol;
    }
    return std::nullopt;  // a program has one such table; a file of any content costs no more
  }
  return std::nullopt;
}

// Where the program's entry point is in the process.
std::optional<std::uint64_t> entry_point(pid_t pid) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/auxv");
  if (!text) return std::nullopt;
  Elf64_auxv_t entry;
  for (std::size_t at = 0; at + sizeof entry <= text->size(); at += sizeof entry) {
    std::memcpy(&entry, text->data() + at, sizeof entry);
    if (entry.a_type == AT_ENTRY) return entry.a_un.a_val;
  }
  return std::nullopt;
}

}  // namespace

void ExportedVariable::find_in(const std::string& path) {
  distance_.reset();
  auto file = os::open_file(path, O_RDONLY | O_NOATIME);
  if (!file) file = os::open_file(path, O_RDONLY);  // only its owner may ask for that
  if (!file) return;
  auto header = read_table<Elf64_Ehdr>(file->get(), 0, sizeof(Elf64_Ehdr));
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0 ||
      header->front().e_ident[EI_CLASS] != ELFCLASS64 ||
      header->front().e_shentsize != sizeof(Elf64_Shdr))
    return;
  auto symbol = find_symbol(file->get(), header->front(), name_);
  if (!symbol || symbol->st_size > sizeof(std::uint64_t)) return;
  size_ = symbol->st_size;
  distance_ = symbol->st_value - header->front().e_entry;  // may wrap around, and back again below
}

std::optional<std::uint64_t> ExportedVariable::value_in(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/exe";
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  const Program program{info.st_dev, info.st_ino,
                        info.st_ctim.tv_sec * std::int64_t{1'000'000'000} + info.st_ctim.tv_nsec};
  if (program_ != program) find_in(path);
  program_ = program;
  const auto entry = distance_ ? entry_point(pid) : std::nullopt;
  if (!entry) return std::nullopt;
  std::uint64_t value = 0;  // x86-64: the lowest byte comes first
  iovec here{&value, size_};
  iovec there{reinterpret_cast<void*>(*entry + *distance_), size_};
  if (::process_vm_readv(pid, &here, 1, &there, 1, 0) != static_cast<ssize_t>(size_))
    return std::nullopt;
  return value;
}

}  // namespace sf::waypoint
