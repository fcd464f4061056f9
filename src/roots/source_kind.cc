#include "roots/source_kind.h"

#include <algorithm>
#include <optional>

#include "os/file.h"
#include "roots/file_part.h"
#include "roots/layer_rules.h"
#include "roots/sha256.h"
#include "roots/tar_reader.h"

namespace sf::roots {
bool shows_image(std::string_view name) { return name == "manifest.json" || name == "index.json"; }

bool may_be_in_image(std::string_view name) {
  const std::string_view top = name.substr(0, name.find('/'));
  if (top.size() < name.size()) return top == "blobs" || is_sha256_digits(top);
  auto has_end = [&](std::string_view end) { return name.ends_with(end); };
  constexpr std::string_view kEnds[] = {".json", ".tar", ".tar.gz", ".tgz"};
  return name.empty() || name == "blobs" || name == "oci-layout" || name == "repositories" ||
         name.starts_with("sha256:") || is_sha256_digits(name) ||
         std::any_of(std::begin(kEnds), std::end(kEnds), has_end);
}

bool is_image_layout(const std::string& directory) {
  return os::exists(directory + "/oci-layout") && os::exists(directory + "/index.json");
}

Result<bool> holds_image(const std::string& archive) {
  SF_TRY_ASSIGN(FilePart whole, whole_file(archive));
  SF_TRY_ASSIGN(PartStream packed, PartStream::open(whole));
  SF_TRY_ASSIGN(DecompressedStream unpacked, DecompressedStream::open(packed));
  // If the archive is not compressed, members can be skipped without reading them.
  SF_TRY_ASSIGN(PartStream plain, PartStream::open(whole));
  const bool is_compressed = unpacked.is_compressed();
  SF_TRY_ASSIGN(TarReader reader,
                is_compressed ? TarReader::open(unpacked) : TarReader::open(plain));
  for (bool has_parts = false;;) {
    SF_TRY_ASSIGN(std::optional<TarEntry> member, reader.next());
    if (!member && !has_parts) return false;  // empty, or only a /
    if (!member)
      return fail(ErrorCode::kCorrupt, "the archive has parts of an image but no table of contents",
                  "manifest.json or index.json is missing; save or download the image again");
    SF_TRY_ASSIGN(std::string path, path_in_root(member->name));
    const std::string_view name = std::string_view(path).substr(1);
    if (shows_image(name)) return true;
    if (!may_be_in_image(name)) return false;
    has_parts = has_parts || !name.empty();
  }
}

}  // namespace sf::roots
