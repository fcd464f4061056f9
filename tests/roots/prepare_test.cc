// Every kind of source becomes a root and is prepared only once; invalid sources are reported.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "image_maker.h"
#include "os/file.h"
#include "roots/prepare_root.h"
#include "roots/sha256.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

using test::ImageMaker;
using test::Packing;
using test::TarMaker;
using test::TempDir;

class PrepareTest : public ::testing::Test {
 protected:
  PrepareTest() {
    image.layers = {TarMaker().file("etc/a", "1").file("etc/b", "1").bytes(),
                    TarMaker().file("etc/.wh.a", "").file("etc/c", "2").bytes(),
                    TarMaker().directory("srv").file("etc/b", "3").bytes()};
  }

  std::string file(const std::string& name, const std::string& bytes) {
    EXPECT_OK(os::write_file(dir_ / name, bytes));
    return dir_ / name;
  }
  // Sets an old modification time, as of a file that has existed for a while.
  static void settle(const std::string& path) {
    const timespec times[2] = {{1'000'000, 0}, {1'000'000, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  PrepareOptions options() {
    PrepareOptions made;
    made.cache_dir = dir_ / "cache";
    made.progress = [this](const ProgressStep& step) { steps += step.what + "\n"; };
    return made;
  }
  Result<RootImage> prepare(const std::string& source, const std::string& name = "") {
    steps.clear();
    PrepareOptions wanted = options();
    wanted.image = name;
    return prepare_root(source, wanted);
  }
  bool saw(const std::string& step) const { return steps.find(step) != std::string::npos; }

  void expect_image(const std::string& source) {
    ASSERT_OK_AND_ASSIGN(RootImage made, prepare(source));
    EXPECT_EQ(made.digest, image.digest());
    EXPECT_EQ(made.config.working_dir, "/srv");
    EXPECT_EQ(made.config.entrypoint, (std::vector<std::string>{"/bin/sh", "-c"}));
    EXPECT_FALSE(os::exists(made.directory + "/etc/a"));
    EXPECT_EQ(os::read_file(made.directory + "/etc/b").value(), "3");
    EXPECT_EQ(os::read_file(made.directory + "/etc/c").value(), "2");
    ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(dir_ / "cache"));
    ASSERT_OK(cache.remove(made.digest));
  }
  // The error of preparing an image in which this file is replaced.
  Error error_with(ImageMaker::Files files, const std::string& name, const std::string& content) {
    EXPECT_TRUE(files.contains(name)) << name;
    files[name] = content;
    auto made = prepare(file("spoiled.tar", ImageMaker::tar_of(files)));
    EXPECT_FALSE(made.ok());
    return made.ok() ? Error() : made.error();
  }

  TempDir dir_;
  ImageMaker image;
  std::string steps;
};

TEST_F(PrepareTest, ATarOfARootIsUnpackedOnce) {
  const std::string bytes = TarMaker(Packing::kXz).file("etc/os", "made").bytes();
  const std::string path = file("root.tar.xz", bytes);
  settle(path);
  ASSERT_OK_AND_ASSIGN(RootImage first, prepare(path));
  EXPECT_EQ(first.digest, sha256_of(bytes));
  EXPECT_EQ(os::read_file(first.directory + "/etc/os").value(), "made");
  EXPECT_TRUE(saw("reading")) << steps;
  EXPECT_TRUE(saw("unpacking")) << steps;

  ASSERT_OK_AND_ASSIGN(RootImage again, prepare(path));
  EXPECT_EQ(again.directory, first.directory);
  EXPECT_EQ(steps, "") << "the archive is not read again";

  // An equal file at another path gives the same root.
  ASSERT_OK_AND_ASSIGN(RootImage copy, prepare(file("copy.tar.xz", bytes)));
  EXPECT_EQ(copy.directory, first.directory);
  EXPECT_FALSE(saw("unpacking")) << steps;
}

TEST_F(PrepareTest, AnArchiveThatChangedIsReadAgain) {
  const std::string path = file("root.tar", TarMaker().file("f", "1").bytes());
  settle(path);
  ASSERT_OK_AND_ASSIGN(RootImage first, prepare(path));
  file("root.tar", TarMaker().file("f", "2").bytes());
  ASSERT_OK_AND_ASSIGN(RootImage second, prepare(path));
  EXPECT_NE(second.digest, first.digest);
  EXPECT_EQ(os::read_file(second.directory + "/f").value(), "2");
}

TEST_F(PrepareTest, DirectoryIsUsedInPlace) {
  ASSERT_OK(os::make_directories(dir_ / "root/etc"));
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare(dir_ / "root"));
  EXPECT_EQ(made.directory, os::real_path(dir_ / "root").value());
  EXPECT_EQ(made.digest, "");
  EXPECT_FALSE(os::exists(dir_ / "cache")) << "a directory is not copied into the cache";
}

TEST_F(PrepareTest, EveryKindOfImageIsUnderstood) {
  for (Packing packing : {Packing::kNone, Packing::kGzip, Packing::kZstd}) {
    image.packing = packing;
    SCOPED_TRACE(static_cast<int>(packing));
    expect_image(file("old.tar", ImageMaker::tar_of(image.old_docker_files())));
    expect_image(file("new.tar", ImageMaker::tar_of(image.new_docker_files())));
    expect_image(file("oci.tar", ImageMaker::tar_of(image.oci_files())));
    const std::string layout = dir_ / ("layout" + std::to_string(static_cast<int>(packing)));
    ImageMaker::write_to(layout, image.oci_files());
    expect_image(layout);
  }
}

TEST_F(PrepareTest, AnArchiveOfAnImageMayItselfBeCompressed) {
  for (Packing packing : {Packing::kGzip, Packing::kBzip2, Packing::kXz, Packing::kZstd}) {
    expect_image(file("old.tar.x", ImageMaker::tar_of(image.old_docker_files(), packing)));
    expect_image(file("oci.tar.x", ImageMaker::tar_of(image.oci_files(), packing)));
  }
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> left, os::list_directory(dir_ / "cache"));
  for (const std::string& name : left) EXPECT_EQ(name.find("decompressed"), std::string::npos);
}

TEST_F(PrepareTest, LayersThatAreLinksInTheArchiveAreFound) {
  image.layers.pop_back();
  image.layers.push_back(image.layers.front());
  TarMaker tar;
  std::string first;
  for (const auto& [name, content] : image.old_docker_files()) {
    const bool is_twin = !first.empty() && content == image.layers.front();
    if (is_twin) {
      tar.symlink(name, "../" + first);
    } else {
      tar.file("./" + name, content);
    }
    if (content == image.layers.front()) first = name;
  }
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare(file("links.tar", tar.bytes())));
  EXPECT_EQ(os::read_file(made.directory + "/etc/a").value(), "1");
}

TEST_F(PrepareTest, UserChoosesOneOfSeveralImages) {
  ImageMaker other;
  other.layers = {TarMaker().file("other", "").bytes()};
  other.name = "other:1";
  ImageMaker::Files files = image.new_docker_files();
  nlohmann::json both = nlohmann::json::parse(files.at("manifest.json"));
  both.push_back(nlohmann::json::parse(other.new_docker_files().at("manifest.json"))[0]);
  for (const auto& [name, content] : other.new_docker_files()) files.emplace(name, content);
  files["manifest.json"] = both.dump();
  const std::string path = file("both.tar", ImageMaker::tar_of(files));
  settle(path);
  auto unclear = prepare(path);
  ASSERT_FALSE(unclear.ok());
  EXPECT_NE(unclear.error().hint.find("other:1"), std::string::npos) << unclear.error().hint;
  ASSERT_OK_AND_ASSIGN(RootImage one, prepare(path, "made:1"));
  EXPECT_EQ(one.digest, image.digest());
  ASSERT_OK_AND_ASSIGN(RootImage two, prepare(path, "other:1"));
  EXPECT_EQ(two.digest, other.digest());
}

TEST_F(PrepareTest, ContentThatDoesNotMatchItsDigestIsRefused) {
  image.packing = Packing::kGzip;
  const ImageMaker::Files oci = image.oci_files();
  const ImageMaker::Files old = image.old_docker_files();
  auto blob = [](const std::string& content) {
    return "blobs/sha256/" + sha256_of(content).substr(7);
  };
  const std::string layer = packed(image.layers[1], Packing::kGzip);
  const std::string other = packed(TarMaker().file("evil", "").bytes(), Packing::kGzip);
  std::string same_size = layer;
  same_size[same_size.size() - 1] ^= 1;

  struct Case {
    ImageMaker::Files files;
    std::string name;
    std::string content;
  };
  const Case cases[] = {
      {oci, blob(layer), other},
      {oci, blob(layer), same_size},
      {oci, blob(image.config()), image.config() + " "},
      {old, image.digest().substr(7) + ".json", image.config() + " "},
      {old, sha256_of("layer 1").substr(7) + "/layer.tar", other},
  };
  for (const Case& one : cases) {
    const Error error = error_with(one.files, one.name, one.content);
    EXPECT_EQ(error.code, ErrorCode::kCorrupt) << error.describe();
    EXPECT_FALSE(error.hint.empty()) << error.describe();
  }
  ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(dir_ / "cache"));
  ASSERT_OK_AND_ASSIGN(std::vector<RootRecord> kept, cache.list());
  EXPECT_TRUE(kept.empty());
  EXPECT_TRUE(os::list_directory(dir_ / "cache/drafts").value().empty());
}

TEST_F(PrepareTest, ImageWithoutAnIndexIsRefused) {
  ImageMaker::Files files = image.oci_files();
  files.erase("index.json");
  auto refused = prepare(file("part.tar", ImageMaker::tar_of(files)));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().hint.find("index.json"), std::string::npos) << refused.error().hint;
  EXPECT_OK(prepare(file("empty.tar", TarMaker().directory("./").bytes())));
}

TEST_F(PrepareTest, AMissingPartIsNamed) {
  ImageMaker::Files files = image.oci_files();
  const std::string layer = "blobs/sha256/" + sha256_of(image.layers[2]).substr(7);
  files.erase(layer);
  auto refused = prepare(file("part.tar", ImageMaker::tar_of(files)));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find(layer), std::string::npos) << refused.error().describe();
}

TEST_F(PrepareTest, AnImageForAnotherMachineIsRefused) {
  image.architecture = "s390x";
  for (const ImageMaker::Files& files : {image.old_docker_files(), image.oci_files()}) {
    auto refused = prepare(file("far.tar", ImageMaker::tar_of(files)));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().describe().find("s390x"), std::string::npos)
        << refused.error().describe();
  }
}

TEST_F(PrepareTest, TruncatedArchivesLeaveNothingBehind) {
  image.layers.push_back(TarMaker().file("big", std::string(300'000, 'x')).bytes());
  for (const std::string& whole :
       {ImageMaker::tar_of(image.old_docker_files()), ImageMaker::tar_of(image.oci_files()),
        ImageMaker::tar_of(image.oci_files(), Packing::kZstd),
        TarMaker(Packing::kGzip).file("big", std::string(300'000, 'x')).bytes()}) {
    auto refused = prepare(file("half.tar", whole.substr(0, whole.size() / 2)));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("half.tar"), std::string::npos);
  }
  EXPECT_TRUE(os::list_directory(dir_ / "cache/drafts").value().empty());
}

TEST_F(PrepareTest, NamesAndDigestsReferToCachedRoots) {
  ASSERT_OK_AND_ASSIGN(RootImage made, prepare(file("r.tar", TarMaker().file("f", "").bytes())));
  {
    ASSERT_OK_AND_ASSIGN(RootCache cache, RootCache::open(dir_ / "cache"));
    ASSERT_OK(cache.set_name("small", made.digest));
  }
  for (const std::string& word : {std::string("small"), made.digest, made.digest.substr(7, 12)}) {
    ASSERT_OK_AND_ASSIGN(RootImage found, prepare(word));
    EXPECT_EQ(found.directory, made.directory);
  }
  auto missing = prepare("nobody");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().hint.find("root ls"), std::string::npos) << missing.error().describe();
}

TEST_F(PrepareTest, UnsupportedSourceIsRefusedWithAHint) {
  for (const std::string& bytes : {std::string(), std::string(10'000, 'x')}) {
    auto refused = prepare(file("odd", bytes));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().hint.find("tar"), std::string::npos) << refused.error().describe();
  }
  EXPECT_FALSE(prepare("/dev/null").ok());
}

}  // namespace
}  // namespace sf::roots
