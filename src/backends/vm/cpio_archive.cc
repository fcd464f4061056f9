#include "backends/vm/cpio_archive.h"

#include <fmt/format.h>

namespace sf::backends {
namespace {

constexpr std::size_t kAlignment = 4;
constexpr const char* kEndName = "TRAILER!!!";

}  // namespace

void CpioArchive::pad() {
  while (bytes_.size() % kAlignment != 0) bytes_.push_back('\0');
}

void CpioArchive::add(const std::string& path, std::uint32_t mode, std::string_view content) {
  // Magic; inode, mode, uid, gid, links, time, size, four device numbers, size of the name,
  // checksum.
  bytes_ += fmt::format(
      "070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}"
      "{:08X}{:08X}",
      next_inode_++, mode, 0, 0, 1, 0, content.size(), 0, 0, 0, 0, path.size() + 1, 0);
  bytes_ += path;
  bytes_.push_back('\0');
  pad();
  bytes_ += content;
  pad();
}

std::string CpioArchive::finish() && {
  add(kEndName, 0, {});
  return std::move(bytes_);
}

}  // namespace sf::backends
