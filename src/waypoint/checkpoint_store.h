// CheckpointStore: checkpoints on disk. A checkpoint is a directory with a manifest, the terminal's
// bytes and the process images, plus a sealed unit. It exists from the rename that publishes its
// directory on; everything before is a draft; sweep_drafts() removes what a crash left of them.
//
// A checkpoint with a `base` has neither filled images nor a unit: it is brought back from its
// base's. A base that is removed is hidden, and goes with the last one that needs it.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "waypoint/manifest.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

// A checkpoint in the making. Removed with its unit unless published.
class CheckpointDraft {
 public:
  CheckpointDraft(std::string dir, CheckpointId id, UnitStore& units)
      : dir_(std::move(dir)), id_(std::move(id)), units_(&units) {}
  CheckpointDraft(CheckpointDraft&& other) noexcept
      : dir_(std::exchange(other.dir_, "")), id_(std::move(other.id_)), units_(other.units_) {}
  CheckpointDraft& operator=(CheckpointDraft&&) = delete;
  ~CheckpointDraft();

  const CheckpointId& id() const { return id_; }
  std::string image_dir() const { return dir_ + "/image"; }
  std::string unit() const;

 private:
  friend class CheckpointStore;
  std::string dir_;  // empty once published
  CheckpointId id_;
  UnitStore* units_;
};

std::string sealed_unit(const CheckpointId& id);

class CheckpointStore {
 public:
  static Result<CheckpointStore> open(const std::string& store_dir, UnitStore& units);

  // Removes what never became a checkpoint, and bases that nobody needs. Requires: no keeper still
  // works on one.
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
  Status remove(const CheckpointId& id);
  std::vector<CheckpointInfo> list() const;
  // Directories whose manifest cannot be read, with the reason. They are left alone.
  const std::map<std::string, std::string>& damaged() const { return damaged_; }
  // Removed, but still the base of others.
  const std::set<CheckpointId>& hidden() const { return hidden_; }
  // Those whose unit was captured ahead of time, by a keeper, when this store was opened.
  const std::map<CheckpointId, std::string>& captured_ahead() const { return captured_ahead_; }
  // Whether its images and unit are kept, hidden or not.
  bool keeps(const CheckpointId& id) const { return known_.contains(id) || hidden_.contains(id); }

 private:
  CheckpointStore(std::string dir, UnitStore& units) : dir_(std::move(dir)), units_(&units) {}
  Status scan();
  bool is_needed(const CheckpointId& base) const;
  void remember(Manifest manifest);
  Status take_away(const CheckpointId& id);

  std::string dir_;
  UnitStore* units_;
  std::map<CheckpointId, CheckpointInfo> known_;
  std::deque<Manifest> recent_;  // published last, first: those are asked for again
  std::set<CheckpointId> hidden_;
  std::map<CheckpointId, std::string> captured_ahead_;
  std::set<CheckpointId> needed_by_damaged_;
  std::map<std::string, std::string> damaged_;
};

}  // namespace sf::waypoint
