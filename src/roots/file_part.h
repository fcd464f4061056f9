// FilePart: a file, or the stretch of an uncompressed archive where one of its members lies.
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
// A part longer than `cap` is an error, not a truncation.
Result<std::string> read_part(const FilePart& part, std::size_t cap);

// Its bytes. A file that turns out shorter is an error.
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
