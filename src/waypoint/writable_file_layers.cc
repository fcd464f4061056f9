#include "waypoint/writable_file_layers.h"

#include <fcntl.h>

#include <algorithm>
#include <thread>

#include "os/btrfs.h"
#include "os/file.h"
#include "waypoint/branch_records.h"
#include "waypoint/keeper/keeper_namespaces.h"
#include "waypoint/store_sweep.h"

namespace sf::waypoint {
namespace {

constexpr auto kUnmountTime = seconds(20);
constexpr auto kUnmountLook = milliseconds(20);

const char* to_word(FileLayerKind kind) {
  if (kind == FileLayerKind::kAuto) return "auto";
  return kind == FileLayerKind::kBtrfs ? "btrfs" : "copy";
}

// Checks an existing mount, since mounting a failed file system again fails.
bool is_read_only_for_keepers(const std::string& store_dir) {
  auto records = BranchRecords(store_dir).load_all();
  if (!records) return false;
  return std::ranges::any_of(*records, [](const BranchRecord& record) {
    if (!os::is_alive(record.keeper_process)) return false;
    auto file_layers = os::open_file(
        "/proc/" + std::to_string(record.keeper_process.pid) + "/root" + kFileLayersMount,
        O_RDONLY);
    return file_layers && os::is_read_only(file_layers->get());
  });
}

}  // namespace

Result<std::unique_ptr<FileLayerStore>> open_writable_file_layers(const std::string& store_dir,
                                                                  FileLayerKind kind,
                                                                  std::uint64_t bytes) {
  bool failed = false;
  for (Deadline deadline = Deadline::after(kUnmountTime);;) {
    auto file_layers = FileLayerStore::open(store_dir, to_word(kind), bytes);
    Status writable = file_layers ? (*file_layers)->check_writable() : Status(file_layers.error());
    if (writable) return file_layers;
    // Remember the result: later, fewer keepers have the file system mounted.
    failed = failed || file_layers.ok() || is_read_only_for_keepers(store_dir);
    if (!failed || deadline.passed()) return std::move(writable).error();
    file_layers = writable.error();  // releases the mount
    SF_TRY(end_all_keepers(store_dir));
    std::this_thread::sleep_for(kUnmountLook);
  }
}

}  // namespace sf::waypoint
