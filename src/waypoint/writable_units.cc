#include "waypoint/writable_units.h"

#include <fcntl.h>

#include <algorithm>
#include <thread>

#include "os/btrfs.h"
#include "os/file.h"
#include "waypoint/branch_registry.h"
#include "waypoint/keeper_host.h"
#include "waypoint/store_sweep.h"

namespace sf::waypoint {
namespace {

constexpr auto kUnmountTime = seconds(20);
constexpr auto kUnmountLook = milliseconds(20);

const char* to_word(UnitKind kind) {
  if (kind == UnitKind::kAuto) return "auto";
  return kind == UnitKind::kBtrfs ? "btrfs" : "copy";
}

// Such a file system is seen where it is mounted already; mounting it once more fails.
bool is_read_only_for_keepers(const std::string& store_dir) {
  auto records = BranchRegistry(store_dir).load_all();
  if (!records) return false;
  return std::ranges::any_of(*records, [](const BranchRecord& record) {
    if (!os::is_alive(record.keeper_process)) return false;
    auto units = os::open_file(
        "/proc/" + std::to_string(record.keeper_process.pid) + "/root" + kUnitsMount, O_RDONLY);
    return units && os::is_read_only(units->get());
  });
}

}  // namespace

Result<std::unique_ptr<UnitStore>> open_writable_units(const std::string& store_dir, UnitKind kind,
                                                       std::uint64_t bytes) {
  bool failed = false;
  for (Deadline deadline = Deadline::after(kUnmountTime);;) {
    auto units = UnitStore::open(store_dir, to_word(kind), bytes);
    Status writable = units ? (*units)->check_writable() : Status(units.error());
    if (writable) return units;
    // Once is enough to know: afterwards fewer and fewer have it mounted.
    failed = failed || units.ok() || is_read_only_for_keepers(store_dir);
    if (!failed || deadline.passed()) return std::move(writable).error();
    units = writable.error();  // lets go of it
    SF_TRY(end_all_keepers(store_dir));
    std::this_thread::sleep_for(kUnmountLook);
  }
}

}  // namespace sf::waypoint
