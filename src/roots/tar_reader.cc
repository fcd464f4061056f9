#include "roots/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <cerrno>

namespace sf::roots {
namespace {

// Keeps names as raw bytes. In any other locale libarchive would convert and normalize them; in the
// C locale it cannot, so it returns a warning and leaves them unchanged. Affects this thread only.
class PlainLocale {
 public:
  PlainLocale() : plain_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(plain_)) {}
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;
  ~PlainLocale() {
    ::uselocale(before_);
    ::freelocale(plain_);
  }

 private:
  locale_t plain_;
  locale_t before_;
};

using Kind = TarEntry::Kind;

Kind kind_of(struct archive_entry* entry) {
  if (::archive_entry_hardlink(entry) != nullptr) return Kind::kHardLink;
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
      return Kind::kFile;
    case AE_IFDIR:
      return Kind::kDirectory;
    case AE_IFLNK:
      return Kind::kSymlink;
    case AE_IFIFO:
      return Kind::kPipe;
    case AE_IFCHR:
    case AE_IFBLK:
      return Kind::kDevice;
    default:
      return Kind::kOther;
  }
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

TarEntry plain_data(struct archive_entry* entry) {
  TarEntry made;
  made.kind = kind_of(entry);
  made.name = text_of(::archive_entry_pathname(entry));
  made.target = text_of(made.kind == Kind::kHardLink ? ::archive_entry_hardlink(entry)
                                                     : ::archive_entry_symlink(entry));
  made.mode = ::archive_entry_perm(entry) & 07777U;
  made.uid = static_cast<uid_t>(::archive_entry_uid(entry));
  made.gid = static_cast<gid_t>(::archive_entry_gid(entry));
  made.modified = {::archive_entry_mtime(entry), ::archive_entry_mtime_nsec(entry)};
  made.size = static_cast<std::uint64_t>(::archive_entry_size(entry));
  made.is_sparse = ::archive_entry_sparse_count(entry) > 0;
  ::archive_entry_xattr_reset(entry);
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  while (::archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK)
    made.attributes.emplace_back(name, std::string(static_cast<const char*>(value), size));
  return made;
}

}  // namespace

Result<TarReader> TarReader::open(ByteStream& source) {
  SF_TRY_ASSIGN(ArchiveInput input, ArchiveInput::open(source, ArchiveInput::Format::kTar));
  return TarReader(std::move(input));
}

Result<std::optional<TarEntry>> TarReader::next() {
  const PlainLocale plain;
  struct archive_entry* entry = nullptr;
  const int found = ::archive_read_next_header(input_.get(), &entry);
  if (found == ARCHIVE_EOF) return std::optional<TarEntry>();
  // EILSEQ is only the warning for a name that is not text in this locale.
  const bool only_odd_name = found == ARCHIVE_WARN && ::archive_errno(input_.get()) == EILSEQ;
  if (found != ARCHIVE_OK && !only_odd_name) return input_.error("reading the archive");
  TarEntry made = plain_data(entry);
  made.data_offset = static_cast<std::uint64_t>(::archive_filter_bytes(input_.get(), 0));
  return std::optional(std::move(made));
}

Result<std::optional<DataBlock>> TarReader::block() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const int got = ::archive_read_data_block(input_.get(), &bytes, &size, &offset);
  if (got == ARCHIVE_EOF) return std::optional<DataBlock>();
  if (got != ARCHIVE_OK) return input_.error("reading the archive");
  return std::optional(
      DataBlock{static_cast<std::uint64_t>(offset), {static_cast<const char*>(bytes), size}});
}

}  // namespace sf::roots
