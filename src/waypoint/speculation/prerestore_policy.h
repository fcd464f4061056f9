// PrerestorePolicy: decides which checkpoints to prerestore, and which prerestored trees to drop.
// Pure: knows no keepers, no threads and no time.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace sf::waypoint {

class PrerestorePolicy {
 public:
  using Checkpoints = std::vector<std::string>;
  enum class Stage { kWanted, kComing, kReady, kRefused };

  // `most`: maximum number of prerestored trees.
  explicit PrerestorePolicy(std::size_t most) : most_(most) {}

  // The checkpoint was taken or restored. Returns the checkpoints that are dropped for it.
  Checkpoints expect(const std::string& checkpoint);
  // Number of calls of expect().
  long turn() const { return turn_; }
  // Returns the checkpoint to prerestore next; its stage becomes kComing. Returns nullopt if
  // expect() was called since that turn: a caller that restores again and again without a pause
  // needs the keepers and processors itself.
  std::optional<std::string> begin(long turn);
  // The tree is ready. Returns the dropped checkpoints, perhaps including this one.
  Checkpoints made(const std::string& checkpoint);
  // The prerestore failed; the checkpoint is dropped.
  void failed(const std::string& checkpoint);
  // The checkpoint can never be prerestored. It keeps its place, so that it is not tried again.
  // Returns the dropped checkpoints.
  Checkpoints refused(const std::string& checkpoint);
  // The checkpoint is being restored: it is no longer planned, unless refused. Requires: its stage
  // is not kComing.
  void take(const std::string& checkpoint);
  // The checkpoint is removed: it is no longer planned. Requires: its stage is not kComing.
  void forget(const std::string& checkpoint);

  // nullopt if it is not planned.
  std::optional<Stage> stage(const std::string& checkpoint) const;
  Checkpoints ready() const;

 private:
  struct Tree {
    std::string checkpoint;
    Stage stage = Stage::kWanted;
  };
  using Trees = std::list<Tree>;

  Trees::iterator find(const std::string& checkpoint);
  void drop(Trees::iterator tree);
  Checkpoints drop_surplus();

  static constexpr int kFullTrust = 8;

  std::size_t most_;
  long turn_ = 0;
  Trees trees_;  // most recently expected first
  // Decreases with each tree that failed or was never used. At 0 no tree is made.
  int trust_ = kFullTrust;
};

}  // namespace sf::waypoint
