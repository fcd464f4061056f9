#include "waypoint/store_sweep.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint {
namespace {

const FileLayerUsers kUsers = {{"k-1", "k-2"}, {"template-1"}};
const std::set<std::string> kCheckpoints = {"c-1", "c-2"};

bool is_needed(const std::string& file_layer) {
  return file_layer_is_needed(file_layer, kUsers, kCheckpoints);
}

TEST(FileLayerIsNeededTest, LiveFileLayerIsNeededAsLongAsItsKeeper) {
  EXPECT_TRUE(is_needed("live-k-1"));
  EXPECT_FALSE(is_needed("live-k-3"));
  EXPECT_FALSE(is_needed("live-c-1")) << "a checkpoint of that name keeps no live file layer";
  EXPECT_FALSE(is_needed("live-"));
}

TEST(FileLayerIsNeededTest, SealedFileLayerIsNeededAsLongAsItsCheckpoint) {
  EXPECT_TRUE(is_needed("sealed-c-1"));
  EXPECT_FALSE(is_needed("sealed-c-3"));
  EXPECT_FALSE(is_needed("sealed-k-1"));
  EXPECT_EQ(sealed_file_layer(CheckpointId("c-1")), "sealed-c-1");
}

TEST(FileLayerIsNeededTest, PrecaptureIsNeededAsLongAsItsKeeper) {
  EXPECT_TRUE(is_needed("ahead-k-1"));
  EXPECT_FALSE(is_needed("ahead-k-3"));
}

TEST(UndoneRenamesTest, FileLayerUnderItsKeepersNameGetsTheCheckpointsNameAgain) {
  const std::map<CheckpointId, std::string> precaptured = {
      {CheckpointId("c-1"), "k-1"}, {CheckpointId("c-2"), "k-1"}, {CheckpointId("c-3"), "k-2"}};
  const FileLayerRenames none;
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "sealed-c-3"}, precaptured), none);
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "sealed-c-3", "ahead-k-1"}, precaptured),
            none)
      << "it belongs to the next checkpoint";
  EXPECT_EQ(undone_renames({"sealed-c-1", "ahead-k-1", "sealed-c-3"}, precaptured),
            (FileLayerRenames{{"ahead-k-1", "sealed-c-2"}}));
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "ahead-k-3"}, precaptured), none)
      << "lost, but not by a rename";
}

TEST(RedoRenamesTest, CheckpointWhoseFileLayerLostItsNameIsRepaired) {
  test::TempDir dir;
  ASSERT_OK_AND_ASSIGN(auto file_layers, FileLayerStore::open(dir.path(), "copy", 0));
  CheckpointId id;
  {
    ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir.path(), *file_layers));
    ASSERT_OK_AND_ASSIGN(CheckpointDraft draft, store.begin());
    id = draft.id();
    ASSERT_OK(file_layers->create("ahead-k-1"));  // its name before the rename
    Manifest manifest;
    manifest.info.id = id;
    manifest.info.branch = BranchId("b-1");
    manifest.precapture_keeper = "k-1";
    ASSERT_OK(store.publish(std::move(draft), std::move(manifest)));
  }
  ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir.path(), *file_layers));
  ASSERT_OK(redo_renames(*file_layers, store));
  ASSERT_OK(sweep_file_layers(*file_layers, {}, store));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> left, file_layers->list());
  EXPECT_EQ(left, std::vector<std::string>{sealed_file_layer(id)});
}

TEST(FileLayerIsNeededTest, TemplateIsNeededAsLongAsABranchThatBeganAsACopyOfIt) {
  EXPECT_TRUE(is_needed("template-1"));
  EXPECT_FALSE(is_needed("template-2"));
  EXPECT_FALSE(is_needed("template-1-draft"));
}

TEST(FileLayerIsNeededTest, DraftsAndUnknownNamesAreNotNeeded) {
  for (const char* file_layer : {"", "draft-c-1", "c-1", "LIVE-k-1", "xlive-k-1"})
    EXPECT_FALSE(is_needed(file_layer)) << file_layer;
}

}  // namespace
}  // namespace sf::waypoint
