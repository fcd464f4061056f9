#include "roots/archive_input.h"

#include <archive.h>
#include <archive_entry.h>

#include <optional>
#include <string>

namespace sf::roots {

struct ArchiveInput::Source {
  ByteStream& stream;
  std::optional<Error> error;

  static la_ssize_t read(struct archive*, void* self, const void** bytes) {
    auto& source = *static_cast<Source*>(self);
    Result<std::string_view> piece = source.stream.next();
    if (!piece) {
      source.error = std::move(piece).error();
      return ARCHIVE_FATAL;
    }
    *bytes = piece->data();
    return static_cast<la_ssize_t>(piece->size());
  }
  static la_int64_t skip(struct archive*, void* self, la_int64_t bytes) {
    auto& source = *static_cast<Source*>(self);
    return static_cast<la_int64_t>(source.stream.skip(static_cast<std::uint64_t>(bytes)));
  }
  static void destroy(Source* source) { delete source; }
};

Result<ArchiveInput> ArchiveInput::open(ByteStream& source, Format format) {
  ArchiveInput input({new Source{source, {}}, Source::destroy},
                     Handle(::archive_read_new(), ::archive_read_free));
  struct archive* reader = input.get();
  if (reader == nullptr) return fail(ErrorCode::kOs, "no memory for reading an archive");
  if (format == Format::kTar) {
    ::archive_read_support_format_tar(reader);
  } else {
    ::archive_read_support_format_raw(reader);
    ::archive_read_support_format_empty(reader);
    // Adds filters one by one: "all" would also run programs for rare formats.
    ::archive_read_support_filter_gzip(reader);
    ::archive_read_support_filter_bzip2(reader);
    ::archive_read_support_filter_xz(reader);
    ::archive_read_support_filter_zstd(reader);
  }
  if (::archive_read_open2(reader, input.source_.get(), nullptr, Source::read, Source::skip,
                           nullptr) == ARCHIVE_OK)
    return input;
  Error error = input.error("reading the archive");
  if (input.source_->error) return error;
  return std::move(error).with_hint(
      "use a tar archive, uncompressed or compressed with gzip, bzip2, xz or zstd");
}

Error ArchiveInput::error(std::string_view what) const {
  if (source_->error) return Error(*source_->error).while_doing(what);
  const char* text = ::archive_error_string(archive_.get());
  return fail(ErrorCode::kCorrupt,
              std::string(what) + ": " + (text == nullptr ? "the archive is damaged" : text));
}

Result<DecompressedStream> DecompressedStream::open(ByteStream& source) {
  SF_TRY_ASSIGN(ArchiveInput input, ArchiveInput::open(source, ArchiveInput::Format::kBytes));
  struct archive_entry* entry = nullptr;
  const int found = ::archive_read_next_header(input.get(), &entry);
  if (found != ARCHIVE_OK && found != ARCHIVE_EOF) return input.error("decompressing");
  return DecompressedStream(std::move(input), found == ARCHIVE_EOF);
}

Result<std::string_view> DecompressedStream::next() {
  while (!at_end_) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int got = ::archive_read_data_block(input_.get(), &bytes, &size, &offset);
    if (got == ARCHIVE_EOF) at_end_ = true;
    if (got != ARCHIVE_OK && got != ARCHIVE_EOF) return input_.error("decompressing");
    if (size > 0 && !at_end_) return std::string_view(static_cast<const char*>(bytes), size);
  }
  return std::string_view();
}

bool DecompressedStream::is_compressed() const {
  return ::archive_filter_code(input_.get(), 0) != ARCHIVE_FILTER_NONE;
}

}  // namespace sf::roots
