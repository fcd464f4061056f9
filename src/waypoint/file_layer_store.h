// FileLayerStore: stores the files of branches. A *file layer* is an overlay's upper and work
// directory together. The live overlay is never restacked, so hard links, inode numbers, copied-up
// files and open descriptors do not change at a checkpoint (docs/decisions/0002-unit-snapshots.md).
//
// Two kinds:
// - btrfs: a subvolume per file layer, in the store's own sparse file system. Snapshot and clone
//   share all data and keep inode numbers.
// - copy: plain directories that are copied; for hosts without btrfs or loop devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

// The directories of a file layer. Paths are valid in the mount namespace in which the store was
// opened (or attached).
struct FileLayerPaths {
  std::string upper;
  std::string work;
};

class FileLayerStore {
 public:
  // Opens the store in `store_dir`, or creates it. `kind`: "btrfs", "copy" or "auto". `bytes`: its
  // maximum size.
  static Result<std::unique_ptr<FileLayerStore>> open(const std::string& store_dir,
                                                      const std::string& kind, std::uint64_t bytes);
  virtual ~FileLayerStore() = default;

  virtual std::string kind() const = 0;
  // Makes the file layers reachable by path in this mount namespace.
  // Requires: the namespace is private to the caller.
  virtual Status attach(const std::string& mount_point) = 0;
  virtual FileLayerPaths paths(const std::string& file_layer) const = 0;

  virtual Status create(const std::string& file_layer) = 0;                 // empty upper and work
  virtual Status copy(const std::string& from, const std::string& to) = 0;  // `to` must not exist
  virtual Status rename(const std::string& from, const std::string& to) = 0;  // atomic
  virtual Status remove(const std::string& file_layer) = 0;                   // missing is fine
  virtual Result<std::vector<std::string>> list() const = 0;
  // Starts writeback of dirty data, so that the next copy() has less to write. May take long.
  // Thread-safe.
  virtual void flush() const = 0;

  // Adapts the store's size to the free space of its host (btrfs_image.h) and returns unused space.
  // Returns the time until the next call is due. Not thread-safe; only the store's manager calls
  // it.
  virtual Result<milliseconds> fit_to_host() { return milliseconds(std::chrono::hours(1)); }
  // Fails if the store has become unwritable regardless of free space. The store must then be
  // opened again, which ends all branches.
  virtual Status check_writable() const { return Ok{}; }
};

// Makes a copied file layer mountable: removes marks that tie it to the original's mount or
// subvolume.
Status prepare_copied_file_layer(const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
