#include "store/space_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"

namespace sf::store {
namespace {

constexpr std::uint64_t kShare = 64;  // uses at most 1/64 of the file system
constexpr std::uint64_t kBlock = 512;

// The file's directory, because the file itself may not exist.
std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::uint64_t allocated(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_blocks) * kBlock;
}

}  // namespace

std::uint64_t bearable_reserve(const std::string& path, std::uint64_t most) {
  struct statvfs info {};
  if (::statvfs(directory_of(path).c_str(), &info) != 0) return 0;
  return std::min<std::uint64_t>(most, info.f_blocks * info.f_frsize / kShare);
}

ReserveFile::ReserveFile(std::string path, std::uint64_t most)
    : path_(std::move(path)), size_(bearable_reserve(path_, most)), held_(allocated(path_)) {}

void ReserveFile::fill() {
  constexpr std::uint64_t kLeftOver = 4;  // multiple of its size that must be free
  if (held_ >= size_) return;
  auto room = os::free_bytes(directory_of(path_));
  if (!room || *room < kLeftOver * size_) return;
  auto file = os::open_file(path_, O_RDWR | O_CREAT, 0600);
  if (!file) return;
  if (::posix_fallocate(file->get(), 0, static_cast<off_t>(size_)) == 0) held_ = size_;
}

bool ReserveFile::release(std::uint64_t keep) {
  if (held_ <= keep) return false;
  if (::truncate(path_.c_str(), static_cast<off_t>(keep)) != 0) return false;
  held_ = keep;
  return true;
}

void LogSpace::hold() const {
  auto file = os::open_file(path_, O_RDWR);
  if (file) (void)::fallocate(file->get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes_));
}

void LogSpace::extend(std::uint64_t more) {
  bytes_ = std::max(bytes_, allocated(path_)) + more;
  hold();
}

}  // namespace sf::store
