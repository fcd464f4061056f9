// Inodes: objects behind descriptors that no path leads to, or with content that is in no file:
// pipes, named pipes, memory files, shared memory, files without a name.
//
// Saved: content (of pipes by tee(), which consumes nothing), size, owner, mode, seals. Restored:
// init creates each inode again and opens further descriptions of it through /proc/self/fd. Inode
// numbers are new, and shared anonymous memory becomes a memory file. If a file lost the name it
// was opened by and has others, it gets the old name back for a moment.
#pragma once

#include <map>
#include <set>

#include "base/result.h"
#include "engine/native/async_root.h"
#include "engine/native/classify.h"
#include "engine/native/facts.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/memory/pages_file.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

class InodeCapture {
 public:
  InodeCapture(TreeImage& tree, PagesWriter& pages) : tree_(tree), pages_(pages) {}
  // Returns the index of the inode behind the process's descriptor.
  Result<std::uint32_t> find_or_capture(pid_t pid, const DescriptorFacts& fd, DescriptorKind kind);
  // As above, for a working directory or a program that lost its name. `path`: its link in /proc.
  Result<std::uint32_t> find_or_capture(const std::string& path, const std::string& link,
                                        const LostName& lost);
  // As above, for the mapping of an object without a name.
  Result<std::uint32_t> find_or_capture(pid_t pid, const MappingText& mapping);

 private:
  std::uint32_t add_lost(const struct stat& file, const std::string& link, const LostName& lost);
  static InodeImage describe(const struct stat& file);
  // Saves the content; `fd` is open for reading.
  Status capture_content(int fd, InodeImage& inode);

  TreeImage& tree_;
  PagesWriter& pages_;
  std::map<std::pair<dev_t, ino_t>, std::uint32_t> known_;
};

class InodeRestore {
 public:
  InodeRestore(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
               const AsyncRoot& root)
      : program_(program), tree_(tree), locations_(locations), root_(root) {}
  // Creates the inode if this is its first description.
  void open(const FileImage& file, int location);
  // Keeps mapped inodes and working directories open until each process has its own.
  void hold_for_mappings();
  // Requires: every description is open.
  void finish();

 private:
  struct BorrowedName {
    std::string path;
    std::string owner;                 // new name of the file that had `path`; empty: none had
    std::vector<std::string> parents;  // missing ones, deepest first
    std::string directory;
    std::array<timespec, 2> times{};
  };
  BorrowedName borrow(const std::string& path, std::uint32_t index);
  void give_back(const BorrowedName& name);
  void rename(const std::string& from, const std::string& to);
  // Descriptor that holds the inode until all descriptions of it are open. Only pipes have a second
  // end.
  int helper(std::uint32_t index, bool writes) const {
    return held_inode(locations_, index) + (writes ? 1 : 0);
  }
  void move(Argument fd, int number);
  void make(std::uint32_t index);
  void make_pipe(const InodeImage& inode, std::uint32_t index);
  void make_fifo(const InodeImage& inode, std::uint32_t index);
  void make_memory_file(const InodeImage& inode, std::uint32_t index);
  void make_directory(const InodeImage& inode, std::uint32_t index);
  void make_unlinked(const InodeImage& inode, std::uint32_t index);
  void fill_pipe(const InodeImage& inode, int fd);
  void fill_file(const InodeImage& inode, int fd);

  ProgramWriter& program_;
  const TreeImage& tree_;
  const FdLocations& locations_;
  const AsyncRoot& root_;
  std::set<std::uint32_t> made_;
  std::set<std::uint32_t> mapped_;
  std::set<std::uint32_t> written_;  // through a shared mapping
  std::set<int> taken_;              // helpers with a description that became a captured one
};

}  // namespace sf::waypoint::native
