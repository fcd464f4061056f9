// Foresight: whoever went back to a checkpoint does so again, and a checkpoint just taken is the
// next one's. Their trees are brought back ahead of time, each in a keeper of its own, and stand
// there before their first instruction; going back then only has one go on. Thread-safe.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "waypoint/keeper_pool.h"
#include "wire/frame.h"

namespace sf::waypoint {

class Foresight {
 public:
  // `most`: trees that stand ready at a time; 0: none ever.
  Foresight(KeeperPool& pool, std::size_t most);
  Foresight(const Foresight&) = delete;
  Foresight& operator=(const Foresight&) = delete;
  ~Foresight() { clear(); }

  // The checkpoint was taken, or gone back to. `request`: what a keeper is sent to bring it back.
  void expect(const std::string& checkpoint, wire::Frame request);
  // A keeper in which the checkpoint's tree stands, waited for where it is being made.
  std::optional<KeeperHandle> take(const std::string& checkpoint);
  // Before the checkpoint is removed.
  void forget(const std::string& checkpoint);
  void clear();
  // Checkpoints whose trees stand ready.
  std::vector<std::string> ready();

 private:
  enum class Stage { kRemembered, kWanted, kComing, kReady };
  struct Tree {
    std::string checkpoint;
    wire::Frame request;
    Stage stage;
    KeeperHandle keeper = {};
  };
  using Trees = std::list<Tree>;

  Trees::iterator find(const std::string& checkpoint);
  // Out of the list, once nobody is at work on it.
  std::optional<Tree> remove(std::unique_lock<std::mutex>& lock, std::string checkpoint,
                             microseconds patience);
  void give_up(Tree& tree);
  // Unless somebody has asked for something since.
  void bring_wanted(long turn);
  void bring(const std::string& checkpoint);
  void keep_most();

  KeeperPool& pool_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  long turn_ = 0;  // guarded by mutex_; counts what was expected
  Trees trees_;    // guarded by mutex_; expected last, first
  int trust_;  // guarded by mutex_; falls with each tree that nobody wanted: none left, none made
};

}  // namespace sf::waypoint
