// FileDigests: a cache of the digests of files, so that unchanged files are not read again. Lost or
// damaged entries are computed again. Pure, except mark_of().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::roots {

// Identifies a version of a file.
struct FileMark {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
Result<FileMark> mark_of(const std::string& path);

// False if the file was written just before `now_ns`: a later write could leave its time unchanged,
// so the mark does not prove that the file is unchanged.
bool is_settled(const FileMark& mark, std::int64_t now_ns);

class FileDigests {
 public:
  // Returns an empty cache if the text is malformed.
  static FileDigests parse(std::string_view text);
  std::string to_text() const;

  // `image`: the chosen image of the archive; may be empty.
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
  std::vector<Entry> entries_;  // oldest first
};

}  // namespace sf::roots
