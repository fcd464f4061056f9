// ArchiveInput: a libarchive reader over a ByteStream. libarchive only parses bytes here: it opens
// no file and runs no program. Not thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "roots/byte_stream.h"

struct archive;  // libarchive's

namespace sf::roots {

class ArchiveInput {
 public:
  enum class Format {
    kTar,    // uncompressed
    kBytes,  // any content, uncompressed
  };
  // kCorrupt if the bytes do not have this format. Requires: `source` outlives the result.
  static Result<ArchiveInput> open(ByteStream& source, Format format);

  struct archive* get() const {
    return archive_.get();
  }
  // Why the last call failed. If `source` failed, its error.
  Error error(std::string_view what) const;

 private:
  struct Source;
  using Handle = std::unique_ptr<struct archive, int (*)(struct archive*)>;
  ArchiveInput(std::unique_ptr<Source, void (*)(Source*)> source, Handle archive)
      : source_(std::move(source)), archive_(std::move(archive)) {}

  std::unique_ptr<Source, void (*)(Source*)> source_;  // libarchive holds its address
  Handle archive_;
};

// The content of a stream that may be compressed with gzip, bzip2, xz or zstd.
class DecompressedStream final : public ByteStream {
 public:
  // Requires: `source` outlives the result.
  static Result<DecompressedStream> open(ByteStream& source);
  Result<std::string_view> next() override;
  bool is_compressed() const;

 private:
  explicit DecompressedStream(ArchiveInput input, bool is_empty)
      : input_(std::move(input)), at_end_(is_empty) {}
  ArchiveInput input_;
  bool at_end_;
};

}  // namespace sf::roots
