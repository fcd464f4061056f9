// FileDigests: which digests files had, so that those that did not change are not read again. Only
// a memory: what is lost or damaged is computed again. Pure but for mark_of().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::roots {

// By which a file is known again.
struct FileMark {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
Result<FileMark> mark_of(const std::string& path);

// A file that was written a moment ago may be written again within the same tick of its clock: its
// mark proves nothing yet.
bool is_settled(const FileMark& mark, std::int64_t now_ns);

class FileDigests {
 public:
  // An empty one when the text makes no sense.
  static FileDigests parse(std::string_view text);
  std::string to_text() const;

  // `image`: which one of the archive; may be empty.
  std::optional<std::string> find(const FileMark& mark, const std::string& image) const;
  void remember(const FileMark& mark, const std::string& image, const std::string& digest);
  std::size_t size() const { return entries_.size(); }

  static constexpr std::size_t kMaxEntries = 256;

 private:
  struct Entry {
    FileMark mark;
    std::string image;
    std::string digest;
  };
  std::vector<Entry> entries_;  // the newest last
};

}  // namespace sf::roots
