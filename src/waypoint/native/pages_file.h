// The pages file of an image: memory and content of files, in pieces of whole pages.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "waypoint/native/image.h"

namespace sf::waypoint::native {

class PagesWriter {
 public:
  static Result<PagesWriter> create(const std::string& path);

  // Copies the process's memory of these addresses behind what is there; sets their offsets.
  Status append_memory(pid_t pid, std::vector<Extent>& extents);
  // Likewise with the data of a file; holes are left out.
  Status append_file(int fd, std::uint64_t size, std::vector<Extent>& extents);

 private:
  explicit PagesWriter(os::UniqueFd fd) : fd_(std::move(fd)) {}
  Status flush_pieces(pid_t pid);
  Status write_out(std::uint64_t size);

  os::UniqueFd fd_;
  std::uint64_t end_ = 0;
  std::vector<unsigned char> buffer_;
};

}  // namespace sf::waypoint::native
