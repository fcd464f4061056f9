// CheckpointStore: checkpoints on disk. A checkpoint is a directory with a manifest, the terminal's
// bytes and the process images, plus a sealed file layer. It exists from the rename that publishes
// its directory; before that it is a draft. sweep_drafts() removes the drafts that a crash left.
//
// A checkpoint with a `base` has no images and no file layer: a restore uses those of its base. If
// a base is removed while other checkpoints need it, the store hides it and removes it with the
// last of them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "waypoint/file_layer_store.h"
#include "waypoint/manifest.h"
#include "waypoint/removals.h"

namespace sf::waypoint {

// An unfinished checkpoint. The destructor removes it and its file layer unless it was published.
class CheckpointDraft {
 public:
  CheckpointDraft(std::string dir, CheckpointId id, FileLayerStore& file_layers)
      : dir_(std::move(dir)), id_(std::move(id)), file_layers_(&file_layers) {}
  CheckpointDraft(CheckpointDraft&& other) noexcept
      : dir_(std::exchange(other.dir_, "")),
        id_(std::move(other.id_)),
        file_layers_(other.file_layers_) {}
  CheckpointDraft& operator=(CheckpointDraft&&) = delete;
  ~CheckpointDraft();

  const CheckpointId& id() const { return id_; }
  std::string image_dir() const { return dir_ + "/image"; }
  std::string file_layer() const;

 private:
  friend class CheckpointStore;
  std::string dir_;  // empty once published
  CheckpointId id_;
  FileLayerStore* file_layers_;
};

std::string sealed_file_layer(const CheckpointId& id);

class CheckpointStore {
 public:
  static Result<CheckpointStore> open(const std::string& store_dir, FileLayerStore& file_layers);

  // Removes unpublished drafts and unneeded bases. Failed removals are added to removals().
  // Requires: no keeper still writes to a draft.
  Status sweep_drafts();
  // Makes a draft, including empty files for the later writes, so that a draft made ahead of time
  // saves the cost of creating them. Needs no lock: it uses no mutable state.
  Result<CheckpointDraft> begin();
  // Writes the manifest and publishes the draft with one rename. Returns the info that list() has
  // from now on. Fails with kNotFound if its base is gone.
  Result<CheckpointInfo> publish(CheckpointDraft draft, Manifest manifest);
  Result<Manifest> load(const CheckpointId& id) const;
  Result<Manifest> load_hidden_too(const CheckpointId& id) const;
  std::string image_dir(const CheckpointId& id) const {
    return dir_ + "/checkpoints/" + id.value() + "/image";
  }
  // After a failure, the checkpoint may be missing from list(). Its remains are then among
  // removals(), and another call continues the removal.
  Status remove(const CheckpointId& id);
  Removals& removals() const { return *removals_; }
  std::vector<CheckpointInfo> list() const;
  // Directories with an unreadable manifest, and the reason. The store does not change them.
  const std::map<std::string, std::string>& damaged() const { return damaged_; }
  // Removed, but still the base of other checkpoints.
  const std::set<CheckpointId>& hidden() const { return hidden_; }
  // Checkpoints with a file layer from a precapture, as found when the store was opened, and the
  // keeper of the precapture.
  const std::map<CheckpointId, std::string>& precaptured() const { return precaptured_; }
  // Whether the store has its images and file layer, hidden or not.
  bool keeps(const CheckpointId& id) const { return known_.contains(id) || hidden_.contains(id); }

 private:
  CheckpointStore(std::string dir, FileLayerStore& file_layers)
      : dir_(std::move(dir)), file_layers_(&file_layers) {}
  Status scan();
  bool is_needed(const CheckpointId& base) const;
  void remember(Manifest manifest);
  Status take_away(const CheckpointId& id);
  // Removes a draft's directory and its file layer.
  Status remove_draft(const std::string& id);

  std::string dir_;
  FileLayerStore* file_layers_;
  std::unique_ptr<Removals> removals_ = std::make_unique<Removals>();
  std::map<CheckpointId, CheckpointInfo> known_;
  std::deque<Manifest> recent_;  // most recent first, since callers load recent ones again
  std::set<CheckpointId> hidden_;
  std::map<CheckpointId, std::string> precaptured_;
  std::set<CheckpointId> needed_by_damaged_;
  std::map<std::string, std::string> damaged_;
};

}  // namespace sf::waypoint
