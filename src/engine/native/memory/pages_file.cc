#include "engine/native/memory/pages_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMaxPieces = 512;
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMaxLinked = 8;

Status read_piece(int memory, std::uint64_t from, unsigned char* to, std::size_t size) {
  while (size > 0) {
    ssize_t n = ::pread(memory, to, size, static_cast<off_t>(from));
    if (n <= 0) return os::last_error("reading a process's memory");
    from += static_cast<std::uint64_t>(n);
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return Ok{};
}

// A part of the memory that fits into the buffer: pieces of extents.
struct Batch {
  std::vector<iovec> pieces;
  std::size_t size = 0;
};

Status read_batch(pid_t pid, const Batch& batch, unsigned char* buffer) {
  iovec here{buffer, batch.size};
  ssize_t n = ::process_vm_readv(pid, &here, 1, batch.pieces.data(), batch.pieces.size(), 0);
  if (n == static_cast<ssize_t>(batch.size)) return Ok{};
  // The process itself may not read this memory, but /proc/pid/mem can.
  SF_TRY_ASSIGN(os::UniqueFd memory,
                os::open_file("/proc/" + std::to_string(pid) + "/mem", O_RDONLY));
  for (const iovec& piece : batch.pieces) {
    SF_TRY(read_piece(memory.get(), reinterpret_cast<std::uint64_t>(piece.iov_base), buffer,
                      piece.iov_len));
    buffer += piece.iov_len;
  }
  return Ok{};
}

}  // namespace

Result<std::shared_ptr<const PagesFile>> PagesFile::open(const std::string& path) {
  SF_TRY_ASSIGN(os::UniqueFd fd, os::open_file(path, O_RDONLY));
  return std::make_shared<const PagesFile>(std::move(fd));
}

PagesFile::~PagesFile() {
  if (bytes_ != nullptr) ::munmap(bytes_, mapped_);
  if (!kept_as_.empty()) ::unlink(kept_as_.c_str());
}

void PagesFile::keep_in(const std::string& directory) const {
  struct stat info {};
  if (!kept_as_.empty() || ::fstat(fd_.get(), &info) != 0) return;
  std::string name = directory + "/pages-" + std::to_string(info.st_ino);
  if (::linkat(AT_FDCWD, os::fd_path(fd_.get()).c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
    kept_as_ = std::move(name);
}

std::uint64_t PagesFile::size() const {
  struct stat info {};
  return ::fstat(fd_.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

const unsigned char* PagesFile::bytes() const {
  if (bytes_ != nullptr) return bytes_;
  mapped_ = size();
  void* location = ::mmap(nullptr, mapped_, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (location != MAP_FAILED) bytes_ = static_cast<unsigned char*>(location);
  return bytes_;
}

std::string pages_path(const std::string& image_dir, std::uint32_t index) {
  std::string own = image_dir + kPagesFile;
  return index == 0 ? own : own + "." + std::to_string(index);
}

Result<PagesWriter> PagesWriter::create(const std::string& image_dir, CopyBuffer& buffer) {
  SF_TRY_ASSIGN(os::UniqueFd fd,
                os::open_file(pages_path(image_dir, 0), O_RDWR | O_CREAT | O_TRUNC, 0600));
  return PagesWriter(std::make_shared<const PagesFile>(std::move(fd)), image_dir, buffer);
}

Status PagesWriter::write_out(std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    ssize_t n =
        ::pwrite(file()->fd(), buffer_.data() + done, size - done, static_cast<off_t>(end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("writing the process image");
    done += static_cast<std::uint64_t>(n);
  }
  end_ += size;
  return Ok{};
}

Status PagesWriter::append_memory(pid_t pid, std::vector<Extent>& extents) {
  Batch batch;
  auto flush = [&]() -> Status {
    SF_TRY(read_batch(pid, batch, buffer_.data()));
    SF_TRY(write_out(batch.size));
    batch = {};
    return Ok{};
  };
  std::uint64_t offset = end_;
  for (Extent& extent : extents) {
    extent.offset = offset;
    offset += extent.size;
    for (std::uint64_t done = 0; done < extent.size;) {
      std::size_t size =
          std::min<std::uint64_t>(extent.size - done, CopyBuffer::kSize - batch.size);
      batch.pieces.push_back({reinterpret_cast<void*>(extent.at + done), size});
      batch.size += size;
      done += size;
      if (batch.size == CopyBuffer::kSize || batch.pieces.size() == kMaxPieces) SF_TRY(flush());
    }
  }
  return batch.size > 0 ? flush() : Ok{};
}

Status PagesWriter::copy_from(int fd, std::uint64_t offset, std::uint64_t size,
                              const std::string& what) {
  for (std::uint64_t done = 0; done < size;) {
    std::size_t wanted = std::min<std::uint64_t>(size - done, CopyBuffer::kSize);
    ssize_t n = ::pread(fd, buffer_.data(), wanted, static_cast<off_t>(offset + done));
    if (n <= 0) return os::last_error(what);
    SF_TRY(write_out(static_cast<std::uint64_t>(n)));
    done += static_cast<std::uint64_t>(n);
  }
  return Ok{};
}

Result<Extent> PagesWriter::append_piece(const Piece& piece) {
  Extent extent{piece.start, piece.size(), end_};
  SF_TRY(copy_from(piece.file->fd(), piece.offset, piece.size(), "reading an earlier image"));
  return extent;
}

Status PagesWriter::append_file(int fd, std::uint64_t size, std::vector<Extent>& extents) {
  for (std::uint64_t at = 0; at < size;) {
    off_t data = ::lseek(fd, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return Ok{};  // only a hole is left
    if (data < 0) return os::last_error("reading an unnamed file");
    off_t hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return os::last_error("reading an unnamed file");
    Extent extent{static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole - data), end_};
    SF_TRY(copy_from(fd, extent.at, extent.size, "reading an unnamed file"));
    extents.push_back(extent);
    at = static_cast<std::uint64_t>(hole);
  }
  end_ = (end_ + kPage - 1) / kPage * kPage;
  return Ok{};
}

std::optional<std::uint32_t> PagesWriter::link(const std::shared_ptr<const PagesFile>& file) {
  auto known = std::ranges::find(files_, file);
  if (known != files_.end()) return static_cast<std::uint32_t>(known - files_.begin());
  std::uint32_t index = file_count();
  if (::linkat(AT_FDCWD, os::fd_path(file->fd()).c_str(), AT_FDCWD,
               pages_path(image_dir_, index).c_str(), AT_SYMLINK_FOLLOW) != 0)
    return std::nullopt;
  files_.push_back(file);
  return index;
}

std::vector<std::shared_ptr<const PagesFile>> choose_copied(std::vector<FileUse> uses) {
  std::vector<std::shared_ptr<const PagesFile>> copied;
  std::ranges::sort(uses, std::ranges::greater{}, &FileUse::used);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    bool kept_for_little = uses[i].used < uses[i].size / 4;
    // Copies half of them at once; otherwise every further image would exceed the limit again.
    bool too_many = uses.size() > kMaxLinked && i >= kMaxLinked / 2;
    if (kept_for_little || too_many) copied.push_back(uses[i].file);
  }
  return copied;
}

}  // namespace sf::waypoint::native
