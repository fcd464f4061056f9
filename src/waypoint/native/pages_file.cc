#include "waypoint/native/pages_file.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kBuffer = 1U << 20U;  // small enough to stay in the cache
constexpr std::size_t kMaxPieces = 512;
constexpr std::uint64_t kPage = 4096;

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

// A part of the memory that fits the buffer: pieces of extents.
struct Batch {
  std::vector<iovec> pieces;
  std::size_t size = 0;
};

Status read_batch(pid_t pid, const Batch& batch, std::vector<unsigned char>& buffer) {
  iovec here{buffer.data(), batch.size};
  ssize_t n = ::process_vm_readv(pid, &here, 1, batch.pieces.data(), batch.pieces.size(), 0);
  if (n == static_cast<ssize_t>(batch.size)) return Ok{};
  // Memory that the process itself may not read: /proc looks at it all the same.
  SF_TRY_ASSIGN(os::UniqueFd memory,
                os::open_file("/proc/" + std::to_string(pid) + "/mem", O_RDONLY));
  unsigned char* to = buffer.data();
  for (const iovec& piece : batch.pieces) {
    SF_TRY(read_piece(memory.get(), reinterpret_cast<std::uint64_t>(piece.iov_base), to,
                      piece.iov_len));
    to += piece.iov_len;
  }
  return Ok{};
}

}  // namespace

Result<PagesWriter> PagesWriter::create(const std::string& path) {
  SF_TRY_ASSIGN(os::UniqueFd fd, os::open_file(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
  PagesWriter writer(std::move(fd));
  writer.buffer_.resize(kBuffer);
  return writer;
}

Status PagesWriter::write_out(std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    ssize_t n =
        ::pwrite(fd_.get(), buffer_.data() + done, size - done, static_cast<off_t>(end_ + done));
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
    SF_TRY(read_batch(pid, batch, buffer_));
    SF_TRY(write_out(batch.size));
    batch = {};
    return Ok{};
  };
  std::uint64_t offset = end_;
  for (Extent& extent : extents) {
    extent.offset = offset;
    offset += extent.size;
    for (std::uint64_t done = 0; done < extent.size;) {
      std::size_t size = std::min<std::uint64_t>(extent.size - done, kBuffer - batch.size);
      batch.pieces.push_back({reinterpret_cast<void*>(extent.at + done), size});
      batch.size += size;
      done += size;
      if (batch.size == kBuffer || batch.pieces.size() == kMaxPieces) SF_TRY(flush());
    }
  }
  return batch.size > 0 ? flush() : Ok{};
}

Status PagesWriter::append_file(int fd, std::uint64_t size, std::vector<Extent>& extents) {
  for (std::uint64_t at = 0; at < size;) {
    off_t data = ::lseek(fd, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return Ok{};  // nothing but a hole
    if (data < 0) return os::last_error("reading an unnamed file");
    off_t hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return os::last_error("reading an unnamed file");
    Extent extent{static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole - data), end_};
    for (std::uint64_t done = 0; done < extent.size;) {
      std::size_t wanted = std::min<std::uint64_t>(extent.size - done, kBuffer);
      ssize_t n = ::pread(fd, buffer_.data(), wanted, static_cast<off_t>(extent.at + done));
      if (n <= 0) return os::last_error("reading an unnamed file");
      SF_TRY(write_out(static_cast<std::uint64_t>(n)));
      done += static_cast<std::uint64_t>(n);
    }
    extents.push_back(extent);
    at = static_cast<std::uint64_t>(hole);
  }
  end_ = (end_ + kPage - 1) / kPage * kPage;
  return Ok{};
}

}  // namespace sf::waypoint::native
