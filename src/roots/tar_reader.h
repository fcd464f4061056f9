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
  std::string name;    // as it stands in the archive: any bytes, not to be trusted
  std::string target;  // of a link; the same holds
  mode_t mode = 0;     // permissions alone
  uid_t uid = 0;
  gid_t gid = 0;
  timespec modified{};
  std::uint64_t size = 0;
  bool is_sparse = false;
  std::uint64_t data_offset = 0;  // where in the stream its content begins
  std::vector<std::pair<std::string, std::string>> attributes;
};

// A stretch of a member's content; what lies between two is a hole.
struct DataBlock {
  std::uint64_t offset = 0;
  std::string_view bytes;
};

class TarReader {
 public:
  // kCorrupt when this is no tar archive. Requires: `source` lives longer.
  static Result<TarReader> open(ByteStream& source);
  // The next member; none at the end. kCorrupt when the archive is damaged or only half there.
  Result<std::optional<TarEntry>> next();
  // The next bytes of that member's content; none at its end.
  Result<std::optional<DataBlock>> block();

 private:
  explicit TarReader(ArchiveInput input) : input_(std::move(input)) {}
  ArchiveInput input_;
};

}  // namespace sf::roots
