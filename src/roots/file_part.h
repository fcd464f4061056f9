// FilePart: a file, or the byte range of a member in an uncompressed archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"
#include "roots/byte_stream.h"

namespace sf::roots {

struct FilePart {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Result<FilePart> whole_file(const std::string& path);
// Fails if the part is longer than `cap`.
Result<std::string> read_part(const FilePart& part, std::size_t cap);

// The bytes of a part. Fails if the file is shorter than the part.
class PartStream final : public ByteStream {
 public:
  static Result<PartStream> open(const FilePart& part);
  Result<std::string_view> next() override;
  std::uint64_t skip(std::uint64_t bytes) override;
  std::uint64_t done() const { return done_; }

 private:
  PartStream(os::UniqueFd file, FilePart part);
  os::UniqueFd file_;
  FilePart part_;
  std::uint64_t done_ = 0;
  std::string buffer_;
};

}  // namespace sf::roots
