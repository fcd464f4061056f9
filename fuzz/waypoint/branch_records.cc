// Records of live branches: a record that is read and published again does not change.
#include "waypoint/branch_records.h"

#include <nlohmann/json.hpp>

#include "input.h"
#include "os/file.h"
#include "testing/temp_dir.h"

namespace sf::fuzz {
namespace {

void check_same(const waypoint::BranchRecord& a, const waypoint::BranchRecord& b) {
  SF_CHECK(a.id == b.id && a.keeper == b.keeper && a.head == b.head);
  SF_CHECK(a.keeper_process == b.keeper_process);
  SF_CHECK(waypoint::to_json(a.config) == waypoint::to_json(b.config));
}

}  // namespace

void branch_records(std::string_view input) {
  test::TempDir dir("sf-fuzz");
  SF_CHECK(os::make_directories(dir / "branches").ok());
  SF_CHECK(os::write_file(dir / "branches/b1.json", input).ok());
  waypoint::BranchRecords records(dir.path());
  auto loaded = records.load_all();
  if (!loaded) return check_clear(loaded.error(), ErrorCode::kUnsupported);
  for (const waypoint::BranchRecord& record : *loaded) {
    SF_CHECK(record.id.value() == "b1");
    SF_CHECK(records.publish(record).ok());
    auto again = records.load_all();
    SF_CHECK(again.ok() && again->size() == 1);
    check_same(record, again->front());
  }
}

}  // namespace sf::fuzz
