#include "fault_store.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "base/check.h"
#include "os/file.h"
#include "testing/matchers.h"
#include "waypoint/file_layer_store.h"

namespace sf::faults {
namespace {

constexpr seconds kSettleTime{40};

}  // namespace

std::set<std::string> names_in(const std::string& directory) {
  auto names = os::list_directory(directory);
  if (!names) return {};
  return {names->begin(), names->end()};
}

FaultStore::FaultStore(waypoint::WaypointOptions options) : options_(std::move(options)) {
  if (options_.store_dir.empty()) options_.store_dir = dir_ / "store";
  leaks_.add_mark(options_.store_dir);
  // The names of the keepers' cgroups contain their ids only, and most keepers end before a test
  // could read those names. Watching this directory records every id.
  SF_CHECK(os::make_directories(path() + "/keepers").ok());
  keepers_made_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  SF_CHECK(::inotify_add_watch(keepers_made_.get(), (path() + "/keepers").c_str(), IN_CREATE) >= 0);
  descriptors_before_ = names_in("/proc/self/fd").size();
}

FaultStore::~FaultStore() {
  // A process that was just killed, or a busy keeper, may still hold the store.
  Deadline deadline = Deadline::after(kSettleTime);
  while (!manager_ && !open() && !deadline.passed()) std::this_thread::sleep_for(milliseconds(10));
  if (!manager_) return;
  manager_->end_all();
  close();
  (void)open();  // removes the files of killed keepers
  close();
}

Status FaultStore::open(waypoint::FaultPlan faults) {
  close();
  waypoint::WaypointOptions options = options_;
  options.faults = std::move(faults);
  SF_TRY_ASSIGN(waypoint::Waypoint opened, waypoint::Waypoint::open(std::move(options)));
  manager_.emplace(std::move(opened));
  return Ok{};
}

void FaultStore::expect_nothing_left_but(const std::set<waypoint::CheckpointId>& checkpoints) {
  if (!manager_) {
    ASSERT_OK(open());
  }
  manager_->end_all();
  ASSERT_OK(open());
  EXPECT_TRUE(manager_->branches().empty());
  std::set<waypoint::CheckpointId> listed;
  for (const waypoint::CheckpointInfo& info : manager_->checkpoints()) listed.insert(info.id);
  EXPECT_EQ(listed, checkpoints);
  close();

  std::set<std::string> ids;
  for (const waypoint::CheckpointId& id : checkpoints) ids.insert(id.value());
  EXPECT_EQ(names_in(path() + "/checkpoints"), ids);
  const std::set<std::string> none;
  for (const char* room : {"/drafts", "/branches", "/keepers"})
    EXPECT_EQ(names_in(path() + room), none) << "left in the store's " << room;
  expect_file_layers(checkpoints);
  EXPECT_EQ(names_in("/proc/self/fd").size(), descriptors_before_) << "descriptors were leaked";
  mark_new_keepers();
  leaks_.verify(Deadline::after(kSettleTime));
}

void FaultStore::expect_file_layers(const std::set<waypoint::CheckpointId>& checkpoints) const {
  ASSERT_OK_AND_ASSIGN(auto file_layers, waypoint::FileLayerStore::open(path(), "auto", 0));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, file_layers->list());
  std::set<std::string> expected;
  for (const waypoint::CheckpointId& id : checkpoints) expected.insert("sealed-" + id.value());
  const std::set<std::string> found(names.begin(), names.end());
  EXPECT_EQ(found, expected) << "file layers";
}

void FaultStore::mark_new_keepers() {
  alignas(inotify_event) char buffer[16384];
  for (;;) {
    ssize_t n = ::read(keepers_made_.get(), buffer, sizeof buffer);
    if (n <= 0) return;
    for (ssize_t at = 0; at < n;) {
      auto* event = reinterpret_cast<inotify_event*>(buffer + at);
      if (event->len > 0) leaks_.add_mark(event->name);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

}  // namespace sf::faults
