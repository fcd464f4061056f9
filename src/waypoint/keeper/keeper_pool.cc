#include "waypoint/keeper/keeper_pool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/scope_exit.h"
#include "engine/engine.h"
#include "os/error.h"
#include "os/file.h"
#include "os/pipe.h"
#include "os/process.h"
#include "os/socket.h"
#include "shell/fresh_id.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/keeper/keeper_resources.h"

namespace sf::waypoint {
namespace {

constexpr auto kReadyTime = seconds(30);
constexpr auto kEndTime = seconds(30);
constexpr auto kQuietTimeout = milliseconds(30);
constexpr std::size_t kMostRetired = 8;
constexpr std::size_t kSpares = 2;  // searches restore and fork at the same time
constexpr std::size_t kMostSpares = 16;
constexpr auto kSurplusTime = seconds(60);
// Start spares beyond kSpares later and with pauses, so that commands in the new forks run first.
constexpr auto kSurplusPause = milliseconds(15);

}  // namespace

KeeperPool::KeeperPool(KeeperPrograms programs, FileLayerStore& file_layers)
    : programs_(std::move(programs)),
      file_layers_(file_layers),
      wanted_(kSpares),
      wanted_until_(Deadline::never()) {}

Status KeeperPool::start() {
  try {
    background_ = std::thread([this] { run_background(); });
    return Ok{};
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
}

KeeperPool::~KeeperPool() {
  settle();
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (background_.joinable()) background_.join();
  for (const KeeperHandle& spare : spares_) end(spare);
}

template <typename Condition>
void KeeperPool::hurry(std::unique_lock<std::mutex>& lock, Condition condition) {
  ++hurried_;
  changed_.notify_all();
  changed_.wait(lock, condition);
  --hurried_;
}

Result<KeeperHandle> KeeperPool::take(Network network, std::string_view engine) {
  std::unique_lock lock(mutex_);
  const bool for_criu = engine == kCriuName;
  for_criu_ = for_criu;
  if (network == Network::kNone) {
    // Wait only for a spare that is being started, not for other background work.
    hurry(lock, [&] { return !spares_.empty() || coming_ == 0 || (working_ && !starting_); });
    if (auto spare = pop_spare()) return std::move(*spare);
  }
  lock.unlock();
  return spawn(network, for_criu);
}

Result<KeeperHandle> KeeperPool::take_now(Network network, std::string_view engine) {
  if (network == Network::kNone) {
    std::lock_guard lock(mutex_);
    if (auto spare = pop_spare()) return std::move(*spare);
  }
  return spawn(network, engine == kCriuName);
}

std::optional<KeeperHandle> KeeperPool::pop_spare() {
  if (spares_.empty()) return std::nullopt;
  KeeperHandle spare = std::move(spares_.front());
  spares_.pop_front();
  return spare;
}

void KeeperPool::refill() {
  std::lock_guard lock(mutex_);
  while (spares_.size() + coming_ < wanted_) {
    const auto surplus =
        static_cast<int>(std::max(spares_.size() + coming_ + 1, kSpares) - kSpares);
    start_spare(kQuietTimeout + surplus * kSurplusPause);
  }
  changed_.notify_all();
}

void KeeperPool::start_spare(microseconds delay) {
  ++coming_;
  Task task{[this, for_criu = for_criu_] {
              auto spare = spawn(Network::kNone, for_criu);
              std::lock_guard inner(mutex_);
              if (spare) spares_.push_back({spare->id, spare->client, true});
              --coming_;
              changed_.notify_all();
            },
            Deadline::after(delay), true};
  // First in the queue, since a caller may soon wait for it.
  tasks_.push_front(std::move(task));
}

void KeeperPool::expect(std::size_t count) {
  std::lock_guard lock(mutex_);
  wanted_ = std::clamp(count, kSpares, kMostSpares);
  wanted_until_ = Deadline::after(kSurplusTime);
}

bool KeeperPool::has_surplus() const { return spares_.size() > kSpares && !closing_; }

void KeeperPool::retire(KeeperHandle keeper) {
  std::lock_guard lock(mutex_);
  ++retired_;
  tasks_.push_back(in_a_moment([this, keeper = std::move(keeper)] {
    end(keeper);
    std::lock_guard inner(mutex_);
    --retired_;
  }));
  changed_.notify_all();
}

void KeeperPool::wait_for_retired() {
  std::unique_lock lock(mutex_);
  if (retired_ > kMostRetired) hurry(lock, [&] { return retired_ <= kMostRetired; });
}

void KeeperPool::later(std::function<void()> work, microseconds delay) {
  std::lock_guard lock(mutex_);
  tasks_.push_back({std::move(work), Deadline::after(delay)});
  changed_.notify_all();
}

void KeeperPool::end(const KeeperHandle& keeper) {
  if (keeper.client->end(Deadline::after(kEndTime)))
    (void)remove_keeper_resources(programs_.store_dir, keeper.id, file_layers_);
}

void KeeperPool::settle() {
  std::unique_lock lock(mutex_);
  hurry(lock, [&] { return tasks_.empty() && !working_; });
}

KeeperPool::Task KeeperPool::in_a_moment(std::function<void()> run) {
  return {std::move(run), Deadline::after(kQuietTimeout)};
}

void KeeperPool::run_background() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (tasks_.empty() && has_surplus()) {
      if (wanted_until_.passed()) {
        wanted_ = kSpares;
        tasks_.push_back(
            {[this, surplus = *pop_spare()] { end(surplus); }, Deadline::after(microseconds(0))});
      } else {
        changed_.wait_until(lock, wanted_until_.at());
      }
      continue;
    }
    changed_.wait(lock, [&] { return closing_ || !tasks_.empty() || has_surplus(); });
    if (tasks_.empty() && closing_) return;
    if (tasks_.empty()) continue;
    auto next = tasks_.begin();
    if (!closing_ && hurried_ == 0)
      next = std::ranges::find_if(tasks_, [](const Task& task) { return task.due.passed(); });
    if (next == tasks_.end()) {
      changed_.wait_until(lock, std::ranges::min_element(tasks_, {}, [](const Task& task) {
                                  return task.due.at();
                                })->due.at());
      continue;
    }
    Task task = std::move(*next);
    tasks_.erase(next);
    working_ = true;
    starting_ = task.starts_spare;
    lock.unlock();
    task.run();
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

Result<KeeperHandle> KeeperPool::spawn(Network network, bool for_criu) const {
  std::string id = fresh_id("k");
  std::string dir = keeper_dir(programs_.store_dir, id);
  SF_TRY(os::make_directories(dir));
  ScopeExit give_up([&] { (void)remove_keeper_resources(programs_.store_dir, id, file_layers_); });
  SF_TRY_ASSIGN(os::UniqueFd log, os::open_file(dir + "/log", O_WRONLY | O_CREAT | O_APPEND));
  // The keeper inherits the descriptor and its lock: as long as the lock is held, the keeper runs
  // (store_sweep.cc).
  if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0) return os::last_error("locking " + dir + "/log");
  SF_TRY_ASSIGN(os::Pipe ready, os::make_pipe());
  os::SpawnOptions options;
  options.argv = {programs_.keeper,
                  programs_.store_dir,
                  id,
                  programs_.criu,
                  programs_.criu_shim,
                  network == Network::kHost ? "host" : "none",
                  for_criu ? "for-criu" : "for-native"};
  options.env = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                 "LANG=C.UTF-8"};
  options.pass_fds = {{log.get(), 2}, {ready.write_end.get(), 3}};
  options.new_session = true;
  Status spawned = os::spawn_detached(options);
  if (!spawned) {
    if (spawned.error().os_errno != ENOENT) return spawned.error();
    return std::move(spawned).error().with_hint(
        "put waypoint-keeper beside the program that uses the library");
  }
  ready.write_end.reset();

  // The keeper writes "ok" when it listens. Otherwise it writes an error, or ends.
  std::string said;
  char buffer[4096];
  Deadline deadline = Deadline::after(kReadyTime);
  for (;;) {
    SF_TRY_ASSIGN(bool readable, os::wait_readable(ready.read_end.get(), deadline));
    if (!readable) return fail(ErrorCode::kTimedOut, "the keeper did not become ready");
    ssize_t n = ::read(ready.read_end.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    said.append(buffer, static_cast<std::size_t>(n));
  }
  if (said != "ok") {
    auto json = wire::Json::parse(said, nullptr, false);
    if (json.is_object()) return wire::error_from_json(json).while_doing("starting a keeper");
    return fail(ErrorCode::kOs, "the keeper ended before it was ready");
  }
  KeeperHandle handle{id, std::make_shared<KeeperClient>(keeper_socket(programs_.store_dir, id))};
  SF_TRY(handle.client->hold());
  give_up.dismiss();
  return handle;
}

}  // namespace sf::waypoint
