// Digests of changed file layers, on real file systems.
#include "waypoint/layer_digest.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kStoreBytes = 512U << 20U;
const DigestLimits kLimits{.max_files = 1000, .max_bytes = 1U << 20U, .max_time = seconds(20)};

class LayerDigestTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto opened = FileLayerStore::open(dir_.path(), GetParam(), kStoreBytes);
    ASSERT_OK(opened);
    file_layers_ = std::move(*opened);
    ASSERT_OK(file_layers_->create("live-1"));
  }
  std::string file(const std::string& file_layer) const {
    return file_layers_->paths(file_layer).upper + "/file";
  }
  std::string digest(const std::string& file_layer, const std::string& base) const {
    auto made = digest_layer(file_layers_->paths(file_layer).upper, file_layers_->paths(base).upper,
                             kLimits);
    EXPECT_OK(made);
    return made ? *made : "";
  }

  test::TempDir dir_;
  std::unique_ptr<FileLayerStore> file_layers_;
};

INSTANTIATE_TEST_SUITE_P(FileLayers, LayerDigestTest, ::testing::Values("btrfs", "copy"),
                         [](const auto& row) { return std::string(row.param); });

// A change right before the copy and a change right after it may have the same time.
TEST_P(LayerDigestTest, ChangeRightAfterTheBaseWasTakenChangesTheDigest) {
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE(i);
    const std::string base = "sealed-" + std::to_string(i);
    ASSERT_OK(os::write_file(file("live-1"), "one"));
    ASSERT_OK(file_layers_->copy("live-1", base));
    ASSERT_OK(os::write_file(file("live-1"), "two"));  // without a stat() since the copy
    EXPECT_NE(digest("live-1", base), digest(base, base));
  }
}

TEST_P(LayerDigestTest, SameChangesInTwoCopiesGiveTheSameDigest) {
  ASSERT_OK(os::write_file(file("live-1"), "one"));
  ASSERT_OK(file_layers_->copy("live-1", "sealed-1"));
  ASSERT_OK(file_layers_->copy("sealed-1", "live-2"));
  EXPECT_EQ(digest("live-1", "sealed-1"), digest("live-2", "sealed-1"));
  for (const char* file_layer : {"live-1", "live-2"}) {
    ASSERT_OK(os::write_file(file(file_layer), "two"));
    ASSERT_EQ(::chmod(file(file_layer).c_str(), 0640), 0);
  }
  EXPECT_EQ(digest("live-1", "sealed-1"), digest("live-2", "sealed-1"));
  ASSERT_EQ(::chmod(file("live-2").c_str(), 0600), 0);
  EXPECT_NE(digest("live-1", "sealed-1"), digest("live-2", "sealed-1"));
}

TEST_P(LayerDigestTest, NamesOfOneFileAreToldFromThoseOfAnother) {
  ASSERT_OK(file_layers_->copy("live-1", "sealed-1"));
  auto make = [&](const std::string& file_layer, const char* first, const char* second) {
    const std::string upper = file_layers_->paths(file_layer).upper + "/";
    for (const auto& [name, to] : {std::pair("a", first), std::pair("b", second)}) {
      ASSERT_OK(os::write_file(upper + name, "same"));
      ASSERT_EQ(::link((upper + name).c_str(), (upper + to).c_str()), 0);
    }
  };
  ASSERT_OK(file_layers_->copy("sealed-1", "live-2"));
  ASSERT_OK(file_layers_->copy("sealed-1", "live-3"));
  make("live-1", "c", "d");
  make("live-2", "c", "d");
  make("live-3", "d", "c");
  EXPECT_EQ(digest("live-1", "sealed-1"), digest("live-2", "sealed-1"));
  EXPECT_NE(digest("live-1", "sealed-1"), digest("live-3", "sealed-1"));
}

// Of two files that were there before with two names each, one name each is replaced by a link to
// the other one.
TEST_P(LayerDigestTest, ExchangedLinksOfOldFilesAreSeen) {
  const std::string upper = file_layers_->paths("live-1").upper + "/";
  for (const char* name : {"a", "b"}) {
    ASSERT_OK(os::write_file(upper + name, "same"));
    ASSERT_EQ(::link((upper + name).c_str(), (upper + name + "2").c_str()), 0);
  }
  ASSERT_OK(file_layers_->copy("live-1", "sealed-1"));
  const std::string before = digest("live-1", "sealed-1");
  ASSERT_EQ(::rename((upper + "a2").c_str(), (upper + "x").c_str()), 0);
  ASSERT_EQ(::rename((upper + "b2").c_str(), (upper + "a2").c_str()), 0);
  ASSERT_EQ(::rename((upper + "x").c_str(), (upper + "b2").c_str()), 0);
  EXPECT_NE(digest("live-1", "sealed-1"), before);
}

}  // namespace
}  // namespace sf::waypoint
