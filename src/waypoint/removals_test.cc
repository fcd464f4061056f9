#include "waypoint/removals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/store_sweep.h"

namespace sf::waypoint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// File layers as directories. The layers named in `stuck` cannot be removed.
class StickyUnits final : public FileLayerStore {
 public:
  explicit StickyUnits(std::unique_ptr<FileLayerStore> file_layers)
      : file_layers_(std::move(file_layers)) {}

  std::string kind() const override { return file_layers_->kind(); }
  Status attach(const std::string& mount_point) override {
    return file_layers_->attach(mount_point);
  }
  FileLayerPaths paths(const std::string& file_layer) const override {
    return file_layers_->paths(file_layer);
  }
  Status create(const std::string& file_layer) override { return file_layers_->create(file_layer); }
  Status copy(const std::string& from, const std::string& to) override {
    return file_layers_->copy(from, to);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return file_layers_->rename(from, to);
  }
  Status remove(const std::string& file_layer) override {
    if (stuck.contains(file_layer)) return fail(ErrorCode::kOs, file_layer + " is in use");
    return file_layers_->remove(file_layer);
  }
  Result<std::vector<std::string>> list() const override { return file_layers_->list(); }
  void flush() const override { file_layers_->flush(); }

  std::set<std::string> stuck;

 private:
  std::unique_ptr<FileLayerStore> file_layers_;
};

class RemovalsTest : public ::testing::Test {
 protected:
  RemovalsTest() : file_layers_(FileLayerStore::open(dir_.path(), "copy", 0).value()) {}

  CheckpointId publish(CheckpointStore& store, std::optional<CheckpointId> base = {}) {
    CheckpointDraft draft = store.begin().value();
    const CheckpointId id = draft.id();
    if (!base) {
      EXPECT_OK(file_layers_.create(sealed_file_layer(id)));
    }
    Manifest manifest;
    manifest.info.id = id;
    manifest.info.branch = BranchId("b-1");
    manifest.info.base = std::move(base);
    EXPECT_OK(store.publish(std::move(draft), std::move(manifest)));
    return id;
  }
  std::vector<std::string> file_layers() { return file_layers_.list().value(); }

  test::TempDir dir_;
  StickyUnits file_layers_;
};

TEST_F(RemovalsTest, RemovalThatFailedHalfWayContinuesOnTheNextCall) {
  ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir_.path(), file_layers_));
  const CheckpointId id = publish(store);
  file_layers_.stuck = {sealed_file_layer(id)};
  EXPECT_EQ(store.remove(id).error().code, ErrorCode::kOs);
  EXPECT_THAT(store.list(), IsEmpty()) << "it is no longer listed";
  EXPECT_EQ(store.remove(id).error().code, ErrorCode::kOs) << "the removal is retried";
  EXPECT_THAT(store.removals().retry(), ElementsAre(HasSubstr("is in use")));
  file_layers_.stuck.clear();
  EXPECT_OK(store.remove(id));
  EXPECT_THAT(file_layers(), IsEmpty());
  EXPECT_THAT(os::list_directory(dir_ / "drafts").value(), IsEmpty());
  EXPECT_THAT(store.removals().retry(), IsEmpty());
  EXPECT_EQ(store.remove(id).error().code, ErrorCode::kNotFound);
}

TEST_F(RemovalsTest, HiddenBaseIsRemovedEvenIfItsLastUserCannotBeRemovedYet) {
  ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir_.path(), file_layers_));
  const CheckpointId base = publish(store);
  const CheckpointId id = publish(store, base);
  ASSERT_OK(store.remove(base));
  EXPECT_EQ(file_layers().size(), 1U) << "a checkpoint needs it";
  file_layers_.stuck = {sealed_file_layer(id)};
  EXPECT_FALSE(store.remove(id).ok());
  EXPECT_THAT(file_layers(), IsEmpty());
  EXPECT_THAT(store.hidden(), IsEmpty());
}

TEST_F(RemovalsTest, OrphansThatCannotBeRemovedDoNotKeepTheStoreFromOpening) {
  ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir_.path(), file_layers_));
  const CheckpointId kept = publish(store);
  ASSERT_OK(file_layers_.create("live-k-1"));
  ASSERT_OK(file_layers_.create("live-k-2"));
  ASSERT_OK(file_layers_.create("sealed-c-draft"));
  ASSERT_OK(os::make_directories(dir_ / "drafts/c-draft"));
  ASSERT_OK(os::make_directories(dir_ / "keepers/k-2"));
  file_layers_.stuck = {"live-k-1", "live-k-2", "sealed-c-draft"};
  EXPECT_OK(sweep_store(dir_.path(), {}, file_layers_, store));
  EXPECT_EQ(store.removals().retry().size(), 5U) << "two file layers are each removed twice";
  file_layers_.stuck.clear();
  EXPECT_THAT(store.removals().retry(), IsEmpty());
  EXPECT_THAT(file_layers(), ElementsAre(sealed_file_layer(kept)));
  EXPECT_FALSE(os::exists(dir_ / "keepers/k-2"));
  EXPECT_FALSE(os::exists(dir_ / "drafts/c-draft"));
}

}  // namespace
}  // namespace sf::waypoint
