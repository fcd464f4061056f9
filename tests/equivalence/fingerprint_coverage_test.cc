// Every field that a checkpoint saves has a row in waypoint/speculation/fingerprint_coverage.h.
#include "waypoint/speculation/fingerprint_coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "image_walk.h"
#include "waypoint/keeper/captured_state.h"

namespace sf::waypoint {
namespace {

TEST(FingerprintCoverageTest, EveryFieldOfAnImageHasARow) {
  native::TreeImage tree;
  tree.processes.emplace_back().threads.emplace_back();
  tree.files.emplace_back();
  std::map<std::string, int> seen;
  std::set<std::string> structs;
  walk_image(tree, [&](const std::string& path, const auto* row, auto&) {
    ASSERT_NE(row, nullptr) << path << " is saved, but has no row";
    EXPECT_EQ(++seen[path], 1) << path << " is saved twice";
    structs.insert(path.substr(0, path.rfind('.')));
    const bool explains = row->sight == Sight::kInside || !row->how.empty();
    EXPECT_TRUE(explains) << path;
  });
  // The walk has visited all nested structs.
  EXPECT_EQ(structs, (std::set<std::string>{"", ".processes[0]", ".processes[0].threads[0]",
                                            ".processes[0].threads[0].credentials", ".files[0]",
                                            ".terminal", ".ipc"}));
}

template <typename S>
void expect_each_row_is_saved() {
  S saved;
  std::set<std::string_view> visited;
  walk_image(saved, [&](const std::string&, const auto* row, auto&) {
    if (row) visited.insert(row->name);
  });
  for (const auto& row : rows_of(static_cast<const S*>(nullptr)))
    EXPECT_TRUE(visited.contains(row.name)) << row.name << " has a row, but is not saved";
}

TEST(FingerprintCoverageTest, EveryRowNamesASavedField) {
  expect_each_row_is_saved<native::TreeImage>();
  expect_each_row_is_saved<native::ProcessImage>();
  expect_each_row_is_saved<native::ThreadImage>();
  expect_each_row_is_saved<native::Credentials>();
  expect_each_row_is_saved<native::FileImage>();
  expect_each_row_is_saved<native::TerminalImage>();
  expect_each_row_is_saved<native::IpcImage>();
}

TEST(FingerprintCoverageTest, EveryKeyOfACapturedStateHasARow) {
  const std::vector<std::string> written = captured_state_keys();
  const std::set<std::string> keys(written.begin(), written.end());
  EXPECT_EQ(keys.size(), written.size()) << "a key is written twice";
  std::set<std::string> rows;
  for (const SavedKey& row : kSavedKeys) rows.emplace(row.name);
  EXPECT_EQ(keys, rows);
}

}  // namespace
}  // namespace sf::waypoint
