#include "roots/unpack.h"

#include <optional>

#include "roots/layer_rules.h"
#include "roots/sha256.h"
#include "roots/tar_reader.h"

namespace sf::roots {
namespace {

Status add_member(const TarEntry& entry, Whiteouts whiteouts, TarReader& reader,
                  RootWriter& writer) {
  SF_TRY_ASSIGN(std::string path, path_in_root(entry.name));
  if (whiteouts == Whiteouts::kApplied) {
    const PathParts parts = split_path(path);
    const LayerMark mark = layer_mark(parts.name);
    switch (mark.kind) {
      case LayerMark::Kind::kHidesOne:
        return writer.hide(parts.directory, mark.name);
      case LayerMark::Kind::kHidesAll:
        return writer.hide_all_in(parts.directory);
      case LayerMark::Kind::kNoise:
        return Ok{};
      case LayerMark::Kind::kNone:
        break;
    }
  }
  return writer.add(path, entry, reader);
}

Status check_digest(HashedStream& stream, const std::string& wanted, const std::string& what) {
  SF_TRY_ASSIGN(std::string found, stream.digest_to_the_end());
  if (wanted.empty() || found == wanted) return Ok{};
  return fail(ErrorCode::kCorrupt, what + " has the digest " + found + " instead of " + wanted,
              "the file is damaged or has changed; save or download it again");
}

Status unpack_layer(const Layer& layer, Whiteouts whiteouts, RootWriter& writer,
                    const Progress& progress, const std::string& what) {
  SF_TRY_ASSIGN(PartStream file, PartStream::open(layer.part));
  HashedStream blob(file);
  SF_TRY_ASSIGN(DecompressedStream decompressed, DecompressedStream::open(blob));
  HashedStream content(decompressed);
  SF_TRY_ASSIGN(TarReader reader, TarReader::open(content));
  writer.begin_layer();
  for (;;) {
    SF_TRY_ASSIGN(std::optional<TarEntry> entry, reader.next());
    if (!entry) break;
    Status added = add_member(*entry, whiteouts, reader, writer);
    if (!added) return std::move(added).error().while_doing(entry->name);
    report(progress, {what, file.done(), layer.part.size});
  }
  SF_TRY(check_digest(content, layer.diff_id, "its content"));
  return check_digest(blob, layer.blob_digest, "it");
}

}  // namespace

Result<UnpackReport> unpack_layers(const std::vector<Layer>& layers, Whiteouts whiteouts,
                                   const std::string& root, const UnpackLimits& limits,
                                   const Progress& progress) {
  SF_TRY_ASSIGN(RootWriter writer, RootWriter::open(root, limits));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::string what = "unpacking";
    if (layers.size() > 1)
      what += " layer " + std::to_string(i + 1) + " of " + std::to_string(layers.size());
    Status unpacked = unpack_layer(layers[i], whiteouts, writer, progress, what);
    if (!unpacked) return std::move(unpacked).error().while_doing(what);
  }
  SF_TRY(writer.finish());
  return writer.report();
}

}  // namespace sf::roots
