// KeeperPool: starts keepers, keeps spares with their namespaces ready (and with a CRIU worker,
// where CRIU was used last), and ends the old ones off the caller's path: a moment later, since
// whoever has just been answered goes on with a command. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "shell/branch_config.h"
#include "waypoint/file_layer_store.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {

struct KeeperHandle {
  std::string id;
  std::shared_ptr<KeeperClient> client;
  bool spare = false;  // it has waited for this
};

struct KeeperPrograms {
  std::string store_dir;
  std::string keeper;  // waypoint-keeper
  std::string criu;
  std::string criu_shim;  // preloaded into CRIU
};

class KeeperPool {
 public:
  KeeperPool(KeeperPrograms programs, FileLayerStore& file_layers);
  ~KeeperPool();  // ends the spares and waits for what was asked to end

  // Starts the background work. Before all others.
  Status start();
  // For a new branch, or to bring back what `engine` took.
  Result<KeeperHandle> take(Network network, std::string_view engine);
  // The same without waiting for a spare that is being started. For callers that take many at once:
  // spares are started one after another.
  Result<KeeperHandle> take_now(Network network, std::string_view engine);
  // So many were taken at once, and may be again: refill() keeps as many spares, within reason,
  // until that has not happened for a minute.
  void expect(std::size_t count);
  // Has spares started: when a keeper that was taken has done its work, which they would be in the
  // way of.
  void refill();
  // Ends a keeper in the background, and clears away what one that was killed left.
  void retire(KeeperHandle keeper);
  // Waits while many that were retired have not ended yet: each holds the memory of its branch. Not
  // from the background work.
  void wait_for_retired();
  // Does it in the background, that much later.
  void later(std::function<void()> work, microseconds delay);
  // Waits until the background work is done.
  void settle();

 private:
  void end(const KeeperHandle& keeper);
  Result<KeeperHandle> spawn(Network network, bool for_criu) const;
  void run_background();
  struct Task {
    std::function<void()> run;
    Deadline due;
    bool starts_spare = false;
  };
  std::optional<KeeperHandle> pop_spare();  // requires: mutex_ is held
  void start_spare(microseconds delay);     // likewise
  bool has_surplus() const;                 // likewise
  static Task in_a_moment(std::function<void()> run);
  // Waits, and nothing that is to be done later does.
  template <typename Condition>
  void hurry(std::unique_lock<std::mutex>& lock, Condition condition);

  KeeperPrograms programs_;
  FileLayerStore& file_layers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<KeeperHandle> spares_;  // guarded by mutex_
  std::size_t coming_ = 0;           // guarded by mutex_
  std::size_t wanted_;               // guarded by mutex_; how many spares to keep
  Deadline wanted_until_;            // guarded by mutex_; from then on kSpares will do
  bool for_criu_ = false;            // guarded by mutex_; what was wanted last
  std::deque<Task> tasks_;           // guarded by mutex_
  std::size_t retired_ = 0;          // guarded by mutex_; that have not ended yet
  bool working_ = false;             // guarded by mutex_
  bool starting_ = false;            // guarded by mutex_; and on a spare
  int hurried_ = 0;                  // guarded by mutex_; how many wait for tasks
  bool closing_ = false;             // guarded by mutex_
  std::thread background_;
};

}  // namespace sf::waypoint
