#include "tar_maker.h"

#include <archive.h>
#include <archive_entry.h>

#include "base/check.h"

namespace sf::test {
namespace {

la_ssize_t append(archive*, void* to, const void* bytes, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

void add_filter(archive* writer, Packing packing) {
  switch (packing) {
    case Packing::kNone:
      return;
    case Packing::kGzip:
      SF_CHECK(archive_write_add_filter_gzip(writer) == ARCHIVE_OK);
      return;
    case Packing::kBzip2:
      SF_CHECK(archive_write_add_filter_bzip2(writer) == ARCHIVE_OK);
      return;
    case Packing::kXz:
      SF_CHECK(archive_write_add_filter_xz(writer) == ARCHIVE_OK);
      return;
    case Packing::kZstd:
      SF_CHECK(archive_write_add_filter_zstd(writer) == ARCHIVE_OK);
      return;
  }
}

}  // namespace

TarMaker::TarMaker(Packing packing)
    : bytes_(std::make_unique<std::string>()), writer_(archive_write_new(), archive_write_free) {
  archive_write_set_format_pax(writer_.get());
  archive_write_set_bytes_in_last_block(writer_.get(), 1);  // zstd allows no padding
  add_filter(writer_.get(), packing);
  SF_CHECK(archive_write_open(writer_.get(), bytes_.get(), nullptr, append, nullptr) == ARCHIVE_OK);
}

TarMaker::Entry TarMaker::entry_of(const std::string& name, mode_t type, const Look& look) {
  Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), type);
  const mode_t usual = type == AE_IFDIR ? 0755 : 0644;
  archive_entry_set_perm(entry.get(), look.mode == 0 ? usual : look.mode);
  archive_entry_set_uid(entry.get(), look.uid);
  archive_entry_set_gid(entry.get(), look.gid);
  archive_entry_set_mtime(entry.get(), look.modified, 0);
  for (const auto& [key, value] : look.attributes)
    archive_entry_xattr_add_entry(entry.get(), key.c_str(), value.data(), value.size());
  return entry;
}

void TarMaker::write(const Entry& entry, const std::string& content) {
  // libarchive warns about names that are not text, which some tests want.
  SF_CHECK(archive_write_header(writer_.get(), entry.get()) >= ARCHIVE_WARN);
  const la_ssize_t size = archive_write_data(writer_.get(), content.data(), content.size());
  SF_CHECK(size == static_cast<la_ssize_t>(content.size()));
}

TarMaker& TarMaker::directory(const std::string& name, const Look& look) {
  write(entry_of(name, AE_IFDIR, look));
  return *this;
}

TarMaker& TarMaker::file(const std::string& name, const std::string& content, const Look& look) {
  Entry entry = entry_of(name, AE_IFREG, look);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  write(entry, content);
  return *this;
}

TarMaker& TarMaker::symlink(const std::string& name, const std::string& target) {
  Entry entry = entry_of(name, AE_IFLNK, {});
  archive_entry_set_symlink(entry.get(), target.c_str());
  write(entry);
  return *this;
}

TarMaker& TarMaker::hard_link(const std::string& name, const std::string& target) {
  Entry entry = entry_of(name, AE_IFREG, {});
  archive_entry_set_hardlink(entry.get(), target.c_str());
  write(entry);
  return *this;
}

TarMaker& TarMaker::pipe(const std::string& name) {
  write(entry_of(name, AE_IFIFO, {}));
  return *this;
}

TarMaker& TarMaker::device(const std::string& name, mode_t kind, dev_t number) {
  Entry entry = entry_of(name, kind, {});
  archive_entry_set_rdev(entry.get(), number);
  write(entry);
  return *this;
}

std::string TarMaker::bytes() {
  SF_CHECK(archive_write_close(writer_.get()) == ARCHIVE_OK);
  return std::move(*bytes_);
}

std::string packed(const std::string& bytes, Packing packing) {
  std::string result;
  std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
  archive_write_set_format_raw(writer.get());
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  add_filter(writer.get(), packing);
  SF_CHECK(archive_write_open(writer.get(), &result, nullptr, append, nullptr) == ARCHIVE_OK);
  std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                 archive_entry_free);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  SF_CHECK(archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK);
  SF_CHECK(archive_write_data(writer.get(), bytes.data(), bytes.size()) ==
           static_cast<la_ssize_t>(bytes.size()));
  SF_CHECK(archive_write_close(writer.get()) == ARCHIVE_OK);
  return result;
}

}  // namespace sf::test
