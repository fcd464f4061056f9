#include "roots/file_part.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/error.h"
#include "os/file.h"

namespace sf::roots {
namespace {

constexpr std::size_t kPiece = 256U << 10U;

}  // namespace

Result<FilePart> whole_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return os::last_error(path);
  if (!S_ISREG(info.st_mode)) return invalid(path + " is not a regular file");
  return FilePart{path, 0, static_cast<std::uint64_t>(info.st_size)};
}

Result<std::string> read_part(const FilePart& part, std::size_t cap) {
  if (part.size > cap)
    return fail(ErrorCode::kCorrupt, "it is longer than " + std::to_string(cap) + " bytes");
  SF_TRY_ASSIGN(PartStream stream, PartStream::open(part));
  std::string content;
  for (;;) {
    SF_TRY_ASSIGN(std::string_view bytes, stream.next());
    if (bytes.empty()) return content;
    content += bytes;
  }
}

PartStream::PartStream(os::UniqueFd file, FilePart part)
    : file_(std::move(file)), part_(std::move(part)), buffer_(kPiece, '\0') {}

Result<PartStream> PartStream::open(const FilePart& part) {
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_file(part.path, O_RDONLY));
  return PartStream(std::move(file), part);
}

Result<std::string_view> PartStream::next() {
  const auto wanted = std::min<std::uint64_t>(buffer_.size(), part_.size - done_);
  if (wanted == 0) return std::string_view();
  for (;;) {
    ssize_t n =
        ::pread(file_.get(), buffer_.data(), wanted, static_cast<off_t>(part_.offset + done_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("reading " + part_.path);
    if (n == 0) return fail(ErrorCode::kCorrupt, part_.path + " is shorter than expected");
    done_ += static_cast<std::uint64_t>(n);
    return std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
  }
}

std::uint64_t PartStream::skip(std::uint64_t bytes) {
  const std::uint64_t left_out = std::min(bytes, part_.size - done_);
  done_ += left_out;
  return left_out;
}

}  // namespace sf::roots
