// FileLayerStore: where a branch's files live. A *file layer* is an overlay's upper and work
// directory together, kept whole: the live overlay is never restacked, so hard links, inode
// numbers, copied-up files and open descriptors do not notice a checkpoint
// (docs/decisions/0002-unit-snapshots.md).
//
// Two kinds: btrfs (a subvolume per file layer in the store's own sparse file system: snapshot and
// clone share all data and keep inode numbers) and copy (plain directories, copied; for hosts
// without btrfs or loop devices).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::waypoint {

// One file layer's directories. Paths are valid in the namespace the store was opened (or attached)
// in.
struct FileLayerPaths {
  std::string upper;
  std::string work;
};

class FileLayerStore {
 public:
  // Opens what lies in `store_dir`, or makes it: `kind` is "btrfs", "copy" or "auto". `bytes`: what
  // it may grow to.
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
  virtual Status rename(const std::string& from, const std::string& to) = 0;  // at once
  virtual Status remove(const std::string& file_layer) = 0;                   // missing is fine
  virtual Result<std::vector<std::string>> list() const = 0;
  // Starts writing dirty data back, so that the next copy() finds little to do. May take long; any
  // thread.
  virtual void flush() const = 0;

  // Fits the store to the room that its host has (btrfs_image.h) and gives back what is no longer
  // used. Returns how soon to call it again. One caller at a time, in the store's manager alone.
  virtual Result<milliseconds> fit_to_host() { return milliseconds(std::chrono::hours(1)); }
  // Fails if nothing can be written any more, whatever room there is: the store must be opened
  // anew, and no branch can live on.
  virtual Status check_writable() const { return Ok{}; }
};

// Makes a copied file layer mountable again: forgets marks that tie it to the mount or subvolume it
// came from.
Status prepare_copied_file_layer(const FileLayerPaths& file_layer);

}  // namespace sf::waypoint
