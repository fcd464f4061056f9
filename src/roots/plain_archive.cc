#include "roots/plain_archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "os/error.h"
#include "os/file.h"
#include "roots/archive_input.h"

namespace sf::roots {
namespace {

Result<os::UniqueFd> nameless_file(const std::string& directory) {
  std::string path = directory + "/decompressed-XXXXXX";
  os::UniqueFd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file.valid() || ::unlink(path.c_str()) != 0)
    return os::last_error("making a file in " + directory);
  return file;
}

}  // namespace

Result<PlainArchive> open_plain_archive(const std::string& path, const std::string& scratch,
                                        std::uint64_t max_bytes, const Progress& progress) {
  SF_TRY_ASSIGN(FilePart whole, whole_file(path));
  SF_TRY_ASSIGN(PartStream file, PartStream::open(whole));
  SF_TRY_ASSIGN(DecompressedStream content, DecompressedStream::open(file));
  if (!content.is_compressed()) return PlainArchive{whole, {}};
  SF_TRY_ASSIGN(os::UniqueFd copy, nameless_file(scratch));
  std::uint64_t size = 0;
  for (;;) {
    SF_TRY_ASSIGN(std::string_view bytes, content.next());
    if (bytes.empty()) break;
    size += bytes.size();
    if (size > max_bytes)
      return invalid(path + " is longer than " + std::to_string(max_bytes) + " bytes uncompressed",
                     "if you trust it, raise the limit (--max-bytes)");
    SF_TRY(os::write_all(copy.get(), bytes));
    report(progress, {"decompressing", file.done(), whole.size});
  }
  FilePart part{os::fd_path(copy.get()), 0, size};
  return PlainArchive{std::move(part), std::move(copy)};
}

}  // namespace sf::roots
