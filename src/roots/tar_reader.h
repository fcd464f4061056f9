// TarReader: the members of an uncompressed tar archive, as plain data.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "roots/archive_input.h"

namespace sf::roots {

struct TarEntry {
  enum class Kind { kFile, kDirectory, kSymlink, kHardLink, kPipe, kDevice, kOther };
  Kind kind = Kind::kFile;
  std::string name;    // as in the archive: any bytes, untrusted
  std::string target;  // of a link; untrusted too
  mode_t mode = 0;     // permission bits only
  uid_t uid = 0;
  gid_t gid = 0;
  timespec modified{};
  std::uint64_t size = 0;
  bool is_sparse = false;
  std::uint64_t data_offset = 0;  // position of the content in the stream
  std::vector<std::pair<std::string, std::string>> attributes;
};

// A range of a member's content; a gap between two ranges is a hole.
struct DataBlock {
  std::uint64_t offset = 0;
  std::string_view bytes;
};

class TarReader {
 public:
  // kCorrupt if it is not a tar archive. Requires: `source` outlives the result.
  static Result<TarReader> open(ByteStream& source);
  // The next member; nullopt at the end. kCorrupt if the archive is damaged or truncated.
  Result<std::optional<TarEntry>> next();
  // The next range of that member's content; nullopt at its end.
  Result<std::optional<DataBlock>> block();

 private:
  explicit TarReader(ArchiveInput input) : input_(std::move(input)) {}
  ArchiveInput input_;
};

}  // namespace sf::roots
