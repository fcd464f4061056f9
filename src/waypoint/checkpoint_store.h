// CheckpointStore: checkpoints on disk. A checkpoint is a directory with a manifest, the terminal's
// bytes and the process images, plus a sealed file layer. It exists from the rename that publishes
// its directory on; everything before is a draft; sweep_drafts() removes what a crash left of them.
//
// A checkpoint with a `base` has neither filled images nor a file layer: it is brought back from
// its base's. A base that is removed is hidden, and goes with the last one that needs it.
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

// A checkpoint in the making. Removed with its file layer unless published.
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

  // Removes what never became a checkpoint, and bases that nobody needs. What cannot be removed is
  // among removals(). Requires: no keeper still works on one.
  Status sweep_drafts();
  // With the files that will be written made: one that is made ahead of time has cost that then.
  // Uses nothing that changes: needs no lock.
  Result<CheckpointDraft> begin();
  // Writes the manifest and publishes: one rename. Returns what list() says of it from now on.
  // kNotFound: its base is gone.
  Result<CheckpointInfo> publish(CheckpointDraft draft, Manifest manifest);
  Result<Manifest> load(const CheckpointId& id) const;
  Result<Manifest> load_hidden_too(const CheckpointId& id) const;
  std::string image_dir(const CheckpointId& id) const {
    return dir_ + "/checkpoints/" + id.value() + "/image";
  }
  // After a failure the checkpoint may be gone from list(); what is left of it is among removals(),
  // and calling this again goes on.
  Status remove(const CheckpointId& id);
  Removals& removals() const { return *removals_; }
  std::vector<CheckpointInfo> list() const;
  // Directories whose manifest cannot be read, with the reason. They are left alone.
  const std::map<std::string, std::string>& damaged() const { return damaged_; }
  // Removed, but still the base of others.
  const std::set<CheckpointId>& hidden() const { return hidden_; }
  // Those whose file layer was captured ahead of time, by a keeper, when this store was opened.
  const std::map<CheckpointId, std::string>& precaptured() const { return precaptured_; }
  // Whether its images and file layer are kept, hidden or not.
  bool keeps(const CheckpointId& id) const { return known_.contains(id) || hidden_.contains(id); }

 private:
  CheckpointStore(std::string dir, FileLayerStore& file_layers)
      : dir_(std::move(dir)), file_layers_(&file_layers) {}
  Status scan();
  bool is_needed(const CheckpointId& base) const;
  void remember(Manifest manifest);
  Status take_away(const CheckpointId& id);
  // Removes a draft's directory and the file layer of that name.
  Status remove_draft(const std::string& id);

  std::string dir_;
  FileLayerStore* file_layers_;
  std::unique_ptr<Removals> removals_ = std::make_unique<Removals>();
  std::map<CheckpointId, CheckpointInfo> known_;
  std::deque<Manifest> recent_;  // published last, first: those are asked for again
  std::set<CheckpointId> hidden_;
  std::map<CheckpointId, std::string> precaptured_;
  std::set<CheckpointId> needed_by_damaged_;
  std::map<std::string, std::string> damaged_;
};

}  // namespace sf::waypoint
