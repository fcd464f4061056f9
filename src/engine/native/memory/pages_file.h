// The pages files of an image: content of memory and files, in pieces of whole pages. An image has
// one file of its own, and links to files of earlier images with content that has not changed
// since. A file is gone with the last image that links to it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/memory/backing.h"
#include "os/fd.h"

namespace sf::waypoint::native {

class PagesFile {
 public:
  PagesFile() = default;
  explicit PagesFile(os::UniqueFd fd) : fd_(std::move(fd)) {}
  PagesFile(const PagesFile&) = delete;
  PagesFile& operator=(const PagesFile&) = delete;
  ~PagesFile();

  static Result<std::shared_ptr<const PagesFile>> open(const std::string& path);
  int fd() const { return fd_.get(); }
  std::uint64_t size() const;
  // Gives the file another name in `directory` for the lifetime of this object: it can then be
  // linked into later images even after the images that had it are gone.
  void keep_in(const std::string& directory) const;
  // The whole file, mapped. Null: mapping failed. Not thread-safe.
  const unsigned char* bytes() const;

 private:
  os::UniqueFd fd_;
  mutable std::string kept_as_;
  mutable unsigned char* bytes_ = nullptr;
  mutable std::uint64_t mapped_ = 0;
};

// Path of the `index`th file of an image; 0 is its own.
std::string pages_path(const std::string& image_dir, std::uint32_t index);

// Buffer for copies, kept from one capture to the next: new pages are expensive.
class CopyBuffer {
 public:
  static constexpr std::size_t kSize = 1U << 20U;  // small enough to stay in the cache
  unsigned char* data() {
    if (!bytes_) bytes_.reset(new unsigned char[kSize]);
    return bytes_.get();
  }
  // Touches as much of it as a shell needs.
  void touch() { std::memset(data(), 0, kSize / 2); }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
};

class PagesWriter {
 public:
  static Result<PagesWriter> create(const std::string& image_dir, CopyBuffer& buffer);

  // Appends the process's memory at these addresses, and sets their offsets.
  Status append_memory(pid_t pid, std::vector<Extent>& extents);
  // Appends a piece of another pages file.
  Result<Extent> append_piece(const Piece& piece);
  // Appends the data of a file without its holes.
  Status append_file(int fd, std::uint64_t size, std::vector<Extent>& extents);

  const std::shared_ptr<const PagesFile>& file(std::size_t index = 0) const {
    return files_[index];
  }
  // Links an earlier image's file into this image, and returns its index here. Nothing: the file
  // has no name any more, or cannot get another one, so its content must be copied.
  std::optional<std::uint32_t> link(const std::shared_ptr<const PagesFile>& file);
  std::uint64_t bytes() const { return end_; }  // of its own
  std::uint32_t file_count() const { return static_cast<std::uint32_t>(files_.size()); }

 private:
  PagesWriter(std::shared_ptr<const PagesFile> own, std::string image_dir, CopyBuffer& buffer)
      : image_dir_(std::move(image_dir)), buffer_(buffer), files_{std::move(own)} {}
  Status write_out(std::uint64_t size);
  Status copy_from(int fd, std::uint64_t offset, std::uint64_t size, const std::string& what);

  std::string image_dir_;
  CopyBuffer& buffer_;
  std::vector<std::shared_ptr<const PagesFile>> files_;
  std::uint64_t end_ = 0;
};

// How many bytes of a pages file an image would use.
struct FileUse {
  std::shared_ptr<const PagesFile> file;
  std::uint64_t size = 0;
  std::uint64_t used = 0;
};
// Pure. The files to copy rather than link: files of which only a small part is used and, if there
// are many, the least used ones.
std::vector<std::shared_ptr<const PagesFile>> choose_copied(std::vector<FileUse> uses);

}  // namespace sf::waypoint::native
