// KeeperPool: starts keepers, keeps spare ones with their namespaces ready (and with a CRIU worker
// if CRIU was used last), and ends old ones in the background. The background work starts a moment
// after an answer, since the caller probably sends a command next. Thread-safe.
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
  bool spare = false;  // it was a spare
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
  ~KeeperPool();  // ends the spares and waits for retired keepers

  // Starts the background work. Call it before the other functions.
  Status start();
  // Returns a keeper for a new branch, or to restore an image of `engine`.
  Result<KeeperHandle> take(Network network, std::string_view engine);
  // The same without waiting for a spare that is being started. For callers that take several at
  // once, since spares are started one after another.
  Result<KeeperHandle> take_now(Network network, std::string_view engine);
  // The caller took `count` keepers at once and may do so again: refill() keeps that many spares,
  // up to kMostSpares, until a minute has passed without such a call.
  void expect(std::size_t count);
  // Starts missing spares. Call it after a taken keeper has done its work, so that the starts do
  // not slow that work.
  void refill();
  // Ends a keeper in the background, and removes its resources.
  void retire(KeeperHandle keeper);
  // Waits while many retired keepers have not ended yet, since each holds its branch's memory. Not
  // for the background thread.
  void wait_for_retired();
  // Runs `work` in the background after `delay`.
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
  // Waits for `condition`; meanwhile the background thread ignores the delays of its tasks.
  template <typename Condition>
  void hurry(std::unique_lock<std::mutex>& lock, Condition condition);

  KeeperPrograms programs_;
  FileLayerStore& file_layers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<KeeperHandle> spares_;  // guarded by mutex_
  std::size_t coming_ = 0;           // guarded by mutex_
  std::size_t wanted_;               // guarded by mutex_; how many spares to keep
  Deadline wanted_until_;            // guarded by mutex_; afterwards kSpares
  bool for_criu_ = false;            // guarded by mutex_; engine of the last request
  std::deque<Task> tasks_;           // guarded by mutex_
  std::size_t retired_ = 0;          // guarded by mutex_; keepers not ended yet
  bool working_ = false;             // guarded by mutex_
  bool starting_ = false;            // guarded by mutex_; working on a spare
  int hurried_ = 0;                  // guarded by mutex_; callers that wait for tasks
  bool closing_ = false;             // guarded by mutex_
  std::thread background_;
};

}  // namespace sf::waypoint
