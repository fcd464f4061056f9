// TreeImage: the saved state of a tree. Plain data, written by the captures of the resources and
// read by their restores. Pids are the branch's own. The content of memory and files is in the
// pages file next to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/native/files/file_image.h"
#include "engine/native/ipc/ipc_image.h"
#include "engine/native/process/process_image.h"

namespace sf::waypoint::native {

struct TreeImage {
  std::vector<ProcessImage> processes;  // init first, parents before children
  std::vector<FileImage> files;
  std::vector<InodeImage> inodes;
  std::vector<MappedFile> mapped;
  TerminalImage terminal;
  IpcImage ipc;
  std::vector<TerminalImage> ptys;  // created in the branch, sorted by number
  std::uint32_t pages_files = 1;
  pid_t last_pid = 0;  // the pid counter; 0: unknown
  template <typename A>
  void fields(A& a) {
    a(processes)(files)(inodes)(mapped)(terminal)(ptys)(ipc)(pages_files);
  }
};

// In the image directory, beside the pages.
inline constexpr const char* kTreeFile = "/native-tree";
inline constexpr const char* kPagesFile = "/native-pages";

std::string encode_tree(TreeImage& tree);
Result<TreeImage> decode_tree(std::string_view bytes);

}  // namespace sf::waypoint::native
