#include "roots/file_digests.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "os/error.h"
#include "roots/json_members.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

using wire::Json;

constexpr std::uint64_t kVersion = 1;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSettleTime = 2 * kSecond;  // FAT's resolution, the coarsest

}  // namespace

Result<FileMark> mark_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return os::last_error(path);
  return FileMark{path, info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                  info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
}

bool is_settled(const FileMark& mark, std::int64_t now_ns) {
  return mark.modified_ns < now_ns - kSettleTime;
}

FileDigests FileDigests::parse(std::string_view text) {
  FileDigests table;
  auto json = parse_json(text, "");
  if (!json) return table;
  JsonMembers top(*json, "");
  if (top.number("version") != kVersion) return table;
  for (const Json& one : top.list("files")) {
    JsonMembers file(one, "");
    const auto modified = static_cast<std::int64_t>(file.number("modified_ns"));
    Entry entry{{wire::text_to_bytes(file.text("path")), file.number("device"),
                 file.number("inode"), file.number("size"), modified},
                file.text("image"),
                file.text("digest")};
    if (file.done() && digest_digits(entry.digest)) table.entries_.push_back(std::move(entry));
  }
  return table;
}

std::string FileDigests::to_text() const {
  Json files = Json::array();
  for (const Entry& entry : entries_)
    files.push_back({{"path", wire::bytes_to_text(entry.mark.path)},
                     {"device", entry.mark.device},
                     {"inode", entry.mark.inode},
                     {"size", entry.mark.size},
                     {"modified_ns", static_cast<std::uint64_t>(entry.mark.modified_ns)},
                     {"image", entry.image},
                     {"digest", entry.digest}});
  return Json{{"version", kVersion}, {"files", files}}.dump(2, ' ', false,
                                                            Json::error_handler_t::replace) +
         "\n";
}

std::optional<std::string> FileDigests::find(const FileMark& mark, const std::string& image) const {
  for (const Entry& entry : entries_) {
    if (entry.mark == mark && entry.image == image) return entry.digest;
  }
  return std::nullopt;
}

void FileDigests::remember(const FileMark& mark, const std::string& image,
                           const std::string& digest) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.mark.path == mark.path && entry.image == image;
  });
  entries_.push_back({mark, image, digest});
  if (entries_.size() > kMaxEntries) entries_.erase(entries_.begin());
}

}  // namespace sf::roots
