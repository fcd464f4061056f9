// The pages files of an image: memory and content of files, in pieces of whole pages. An image has
// one of its own, and links to those of earlier images that hold what has not changed since: a
// file is gone with the last image that needs it.
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
  // Gives it another name, in that directory, for as long as this object lives: the file can then
  // be linked into later images even when those that had it are gone.
  void keep_in(const std::string& directory) const;
  // All of it, mapped; null when that fails. For one thread.
  const unsigned char* bytes() const;

 private:
  os::UniqueFd fd_;
  mutable std::string kept_as_;
  mutable unsigned char* bytes_ = nullptr;
  mutable std::uint64_t mapped_ = 0;
};

// Of the `index`th file of an image; 0 is its own.
std::string pages_path(const std::string& image_dir, std::uint32_t index);

// Memory to copy through, kept from one capture to the next: fresh pages are expensive.
class CopyBuffer {
 public:
  static constexpr std::size_t kSize = 1U << 20U;  // small enough to stay in the cache
  unsigned char* data() {
    if (!bytes_) bytes_.reset(new unsigned char[kSize]);
    return bytes_.get();
  }
  // As much of it as a shell needs.
  void touch() { std::memset(data(), 0, kSize / 2); }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
};

class PagesWriter {
 public:
  static Result<PagesWriter> create(const std::string& image_dir, CopyBuffer& buffer);

  // Copies the process's memory of these addresses behind what is there; sets their offsets.
  Status append_memory(pid_t pid, std::vector<Extent>& extents);
  // Likewise with what another pages file holds.
  Result<Extent> append_piece(const Piece& piece);
  // Likewise with the data of a file; holes are left out.
  Status append_file(int fd, std::uint64_t size, std::vector<Extent>& extents);

  const std::shared_ptr<const PagesFile>& file(std::size_t index = 0) const {
    return files_[index];
  }
  // The number of an earlier image's file in this one, which it is linked into. None when it has no
  // name any more, or cannot have another one: then its content is to be copied.
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

// How much of a pages file an image would need.
struct FileUse {
  std::shared_ptr<const PagesFile> file;
  std::uint64_t size = 0;
  std::uint64_t used = 0;
};
// Pure. Which of them are better copied than linked: those that would be kept for little, and the
// least used ones when they are many.
std::vector<std::shared_ptr<const PagesFile>> choose_copied(std::vector<FileUse> uses);

}  // namespace sf::waypoint::native
