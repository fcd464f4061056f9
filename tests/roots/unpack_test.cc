// Unpacking archives: file types, metadata, layers, and hostile archives.
#include "roots/unpack.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <set>

#include "os/file.h"
#include "os/run_program.h"
#include "roots/sha256.h"
#include "tar_maker.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

using test::Look;
using test::Packing;
using test::TarMaker;
using test::TempDir;

class UnpackTest : public ::testing::Test {
 protected:
  UnpackTest() {
    EXPECT_OK(os::make_directories(root()));
    EXPECT_OK(os::make_directories(outside(), 0700));
    EXPECT_OK(os::write_file(outside("secret"), "kept", 0600));
  }
  // No archive may change anything outside of the root.
  ~UnpackTest() override {
    auto names = os::list_directory(outside());
    EXPECT_OK(names);
    EXPECT_EQ(*names, std::vector<std::string>{"secret"});
    EXPECT_EQ(content(outside("secret")), "kept");
    EXPECT_EQ(look(outside()).st_mode & 07777U, 0700U);
    EXPECT_EQ(look(outside("secret")).st_mode & 07777U, 0600U);
    EXPECT_EQ(look(outside("secret")).st_nlink, 1U);
  }

  std::string root(const std::string& name = "") const { return dir_ / ("root/" + name); }
  std::string outside(const std::string& name = "") const { return dir_ / ("outside/" + name); }

  Layer layer(const std::string& bytes) {
    const std::string path = dir_ / ("layer" + std::to_string(layers_++));
    EXPECT_OK(os::write_file(path, bytes));
    return {{path, 0, bytes.size()}, {}, {}};
  }
  Result<UnpackReport> unpack(const std::vector<std::string>& archives,
                              const UnpackLimits& limits = {}) {
    std::vector<Layer> layers;
    for (const std::string& bytes : archives) layers.push_back(layer(bytes));
    return unpack_layers(layers, Whiteouts::kApplied, root(), limits, {});
  }

  static std::string content(const std::string& path) {
    auto text = os::read_file(path);
    return text ? *text : to_string(text.error().code).data();
  }
  static struct stat look(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info;
  }
  std::set<std::string> names_in(const std::string& directory) const {
    auto names = os::list_directory(root(directory));
    EXPECT_OK(names);
    return names ? std::set(names->begin(), names->end()) : std::set<std::string>();
  }

  TempDir dir_;
  int layers_ = 0;
};

using Names = std::set<std::string>;

TEST_F(UnpackTest, FilesKeepTheirMetadata) {
  // A capability in the format of setcap(8), which is binary.
  const std::string capability(
      "\x01\x00\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20);
  ASSERT_OK(unpack({TarMaker()
                        .directory("./", {.mode = 0751, .uid = 5})
                        .directory("d", {.mode = 01777, .uid = 1, .gid = 2, .modified = 7})
                        .file("d/f", "text", {.mode = 04711, .uid = 3, .gid = 4, .modified = 8})
                        .file("cap", "x",
                              {.attributes = {{"security.capability", capability},
                                              {"user.note", "n"},
                                              {"trusted.overlay.opaque", "y"}}})
                        .symlink("d/l", "../anywhere")
                        .hard_link("d/h", "d/f")
                        .pipe("p")
                        .bytes()}));
  EXPECT_EQ(look(root()).st_mode & 07777U, 0751U);
  EXPECT_EQ(look(root()).st_uid, 5U);
  EXPECT_EQ(look(root("d")).st_mode & 07777U, 01777U);
  EXPECT_EQ(look(root("d")).st_mtime, 7);
  EXPECT_EQ(look(root("d")).st_gid, 2U);
  EXPECT_EQ(content(root("d/f")), "text");
  EXPECT_EQ(look(root("d/f")).st_mode & 07777U, 04711U);
  EXPECT_EQ(look(root("d/f")).st_uid, 3U);
  EXPECT_EQ(look(root("d/f")).st_mtime, 8);
  EXPECT_EQ(look(root("d/h")).st_ino, look(root("d/f")).st_ino);
  EXPECT_TRUE(S_ISFIFO(look(root("p")).st_mode));
  ASSERT_OK_AND_ASSIGN(std::string target, os::read_link(root("d/l")));
  EXPECT_EQ(target, "../anywhere");
  char value[64];
  EXPECT_EQ(::getxattr(root("cap").c_str(), "security.capability", value, sizeof value), 20);
  EXPECT_EQ(::getxattr(root("cap").c_str(), "user.note", value, sizeof value), 1);
  EXPECT_EQ(::getxattr(root("cap").c_str(), "trusted.overlay.opaque", value, sizeof value), -1);
}

TEST_F(UnpackTest, MissingParentDirectoriesAreMade) {
  const mode_t before = ::umask(077);
  ASSERT_OK(unpack({TarMaker().file("a/b/c", "deep").bytes()}));
  ::umask(before);
  EXPECT_EQ(content(root("a/b/c")), "deep");
  EXPECT_EQ(look(root("a/b")).st_mode & 07777U, 0755U);
  EXPECT_EQ(look(root("a/b/c")).st_mode & 07777U, 0644U);
}

TEST_F(UnpackTest, NamesAreBytes) {
  const std::string utf8 = "caf\xc3\xa9";
  const std::string split_accent = "cafe\xcc\x81";  // looks the same, but is another name
  const std::string latin1 = "caf\xe9";
  const std::string long_name(200, 'n');
  ASSERT_OK(unpack({TarMaker()
                        .file(utf8, "1")
                        .file(split_accent, "2")
                        .file(latin1, "3")
                        .file(long_name + "/" + long_name, "4")
                        .hard_link("h", latin1)
                        .bytes()}));
  EXPECT_EQ(names_in(""), (Names{utf8, split_accent, latin1, long_name, "h"}));
  EXPECT_EQ(content(root("h")), "3");
  EXPECT_EQ(content(root(long_name + "/" + long_name)), "4");
}

TEST_F(UnpackTest, ArchivesOfGnuTarAreReadWithHolesAndAttributes) {
  struct Format {
    std::string name;
    std::string options;
    bool has_holes;
    bool has_attributes;
  };
  const Format formats[] = {{"gnu", "--sparse", true, false},
                            {"posix", "--sparse --xattrs", true, true},
                            {"ustar", "", false, false}};
  const std::string source = dir_ / "source";
  ASSERT_OK(os::make_directories(source + "/d"));
  ASSERT_OK(os::write_file(source + "/d/sparse", ""));
  ASSERT_EQ(::truncate((source + "/d/sparse").c_str(), 8 << 20), 0);
  ASSERT_OK(os::write_file(source + "/d/f", "x"));
  ASSERT_EQ(::setxattr((source + "/d/f").c_str(), "user.a", "b", 1, 0), 0);
  for (const Format& format : formats) {
    SCOPED_TRACE(format.name);
    const std::string archive = dir_ / (format.name + ".tar");
    auto made = os::run_program(
        {"/bin/sh", "-c",
         "tar --format=" + format.name + " " + format.options + " -C \"$0\" -cf \"$1\" .", source,
         archive},
        Deadline::after(seconds(30)));
    ASSERT_OK(made);
    ASSERT_TRUE(made->succeeded()) << made->text;
    ASSERT_OK_AND_ASSIGN(std::string bytes, os::read_file(archive));
    ASSERT_OK(unpack({TarMaker().file(".wh.d", "").bytes(), bytes}));
    const struct stat sparse = look(root("d/sparse"));
    EXPECT_EQ(sparse.st_size, 8 << 20);
    EXPECT_EQ(sparse.st_blocks * 512 < 1 << 20, format.has_holes);
    EXPECT_EQ(content(root("d/f")), "x");
    char value[8];
    EXPECT_EQ(::getxattr(root("d/f").c_str(), "user.a", value, sizeof value),
              format.has_attributes ? 1 : -1);
  }
}

TEST_F(UnpackTest, DevicesAreOmittedAndCounted) {
  ASSERT_OK_AND_ASSIGN(UnpackReport report,
                       unpack({TarMaker()
                                   .directory("dev")
                                   .device("dev/null", S_IFCHR, ::makedev(1, 3))
                                   .device("dev/sda", S_IFBLK, ::makedev(8, 0))
                                   .hard_link("dev/other", "dev/sda")
                                   .file("after", "x")
                                   .bytes()}));
  EXPECT_EQ(report.skipped_devices, 2U);
  EXPECT_EQ(names_in("dev"), Names{});
  EXPECT_EQ(content(root("after")), "x");
}

TEST_F(UnpackTest, DeviceHidesLowerFilesAndCanBeReplaced) {
  ASSERT_OK(unpack({TarMaker().file("x", "file").file("y", "file").bytes(),
                    TarMaker()
                        .device("x", S_IFCHR, ::makedev(1, 3))
                        .device("y", S_IFCHR, ::makedev(1, 3))
                        .bytes(),
                    TarMaker().file("y", "new").hard_link("z", "y").bytes()}));
  EXPECT_EQ(names_in(""), (Names{"y", "z"}));
  EXPECT_EQ(content(root("z")), "new");
}

TEST_F(UnpackTest, EveryPackingIsUnderstood) {
  for (Packing packing :
       {Packing::kNone, Packing::kGzip, Packing::kBzip2, Packing::kXz, Packing::kZstd}) {
    const std::string text = "packing " + std::to_string(static_cast<int>(packing));
    ASSERT_OK(unpack({TarMaker(packing).file("f", text).bytes()}));
    EXPECT_EQ(content(root("f")), text);
  }
}

TEST_F(UnpackTest, LayersReplaceAndHideLowerFiles) {
  ASSERT_OK(unpack({TarMaker()
                        .directory("a")
                        .file("a/stays", "1")
                        .file("a/changes", "1")
                        .file("a/goes", "1")
                        .directory("b/inner")
                        .file("b/inner/old", "1")
                        .file("b/old", "1")
                        .directory("c")
                        .file("c/old", "1")
                        .file("kind", "file")
                        .directory("other-kind")
                        .file("other-kind/x", "1")
                        .bytes(),
                    TarMaker()
                        .file("a/changes", "2")
                        .file("a/.wh.goes", "")
                        .file("b/.wh..wh..opq", "")
                        .file("b/new", "2")
                        .file(".wh.c", "")
                        .directory("kind")
                        .file("other-kind", "file")
                        .bytes(),
                    TarMaker().directory("c").file("c/new", "3").file("a/goes", "3").bytes()}));
  EXPECT_EQ(names_in(""), (Names{"a", "b", "c", "kind", "other-kind"}));
  EXPECT_EQ(names_in("a"), (Names{"stays", "changes", "goes"}));
  EXPECT_EQ(content(root("a/changes")), "2");
  EXPECT_EQ(content(root("a/goes")), "3");
  EXPECT_EQ(names_in("b"), Names{"new"});
  EXPECT_EQ(names_in("c"), Names{"new"});
  EXPECT_EQ(names_in("kind"), Names{});
  EXPECT_EQ(content(root("other-kind")), "file");
}

// The order of members in a layer has no meaning.
TEST_F(UnpackTest, ALayerHidesNothingOfItsOwn) {
  ASSERT_OK(unpack({TarMaker()
                        .file("d/old", "1")
                        .file("d/both", "1")
                        .file("d/sub/old", "1")
                        .file("f", "1")
                        .bytes(),
                    TarMaker()
                        .file("d/new", "2")
                        .file("d/both", "2")
                        .file("d/sub/new", "2")
                        .file("f", "2")
                        .file("d/.wh..wh..opq", "")
                        .file(".wh.f", "")
                        .bytes()}));
  EXPECT_EQ(names_in("d"), (Names{"new", "both", "sub"}));
  EXPECT_EQ(names_in("d/sub"), Names{"new"});
  EXPECT_EQ(content(root("d/both")), "2");
  EXPECT_EQ(content(root("f")), "2");
}

TEST_F(UnpackTest, WhiteoutsOfMissingFilesAreIgnored) {
  ASSERT_OK(unpack({TarMaker()
                        .file("missing/.wh.x", "")
                        .file("missing/.wh..wh..opq", "")
                        .directory(".wh..wh.plnk")
                        .file("f", "x")
                        .file(".wh...", "")
                        .bytes()}));
  EXPECT_EQ(names_in(""), Names{"f"});
}

TEST_F(UnpackTest, WhiteoutNamesAreOrdinaryInAPlainArchive) {
  Layer plain = layer(TarMaker().file("x", "1").file(".wh.x", "2").bytes());
  ASSERT_OK(unpack_layers({plain}, Whiteouts::kOrdinaryNames, root(), {}, {}));
  EXPECT_EQ(names_in(""), (Names{"x", ".wh.x"}));
}

// Merged /usr: a file of an old package in /lib belongs in /usr/lib.
TEST_F(UnpackTest, LinksToDirectoriesAreFollowedWithinTheRoot) {
  ASSERT_OK(unpack(
      {TarMaker().directory("usr/lib").symlink("lib", "usr/lib").symlink("abs", "/usr/lib").bytes(),
       TarMaker().file("lib/one", "1").file("abs/two", "2").bytes()}));
  EXPECT_EQ(names_in("usr/lib"), (Names{"one", "two"}));
  EXPECT_TRUE(S_ISLNK(look(root("lib")).st_mode));
}

TEST_F(UnpackTest, TimesOfDirectoriesSurviveLaterAdditions) {
  ASSERT_OK(unpack({TarMaker().directory("d", {.modified = 42}).file("d/1", "").bytes(),
                    TarMaker().file("d/2", "").bytes()}));
  EXPECT_EQ(look(root("d")).st_mtime, 42);
}

// In each of these tests the destructor checks the files outside of the root.
TEST_F(UnpackTest, NamesOutsideTheRootAreRefused) {
  for (const char* name : {"../outside/evil", "a/../../outside/evil", ".."}) {
    auto refused = unpack({TarMaker().file(name, "x").bytes()});
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(refused.error().message.find(name), std::string::npos) << refused.error().message;
  }
  ASSERT_OK(unpack({TarMaker().file("/etc/absolute", "x").bytes()}));
  EXPECT_EQ(content(root("etc/absolute")), "x");
}

TEST_F(UnpackTest, LinksThatLeadOutsideResolveInsideTheRoot) {
  const std::string targets[] = {outside(), "../outside", "../../../../../../" + outside(),
                                 "/proc/self/cwd", "/"};
  for (const std::string& target : targets) {
    (void)unpack({TarMaker()
                      .symlink("l", target)
                      .file("l/secret", "evil")
                      .file("l/.wh.secret", "")
                      .bytes()});
    (void)unpack({TarMaker().symlink("l", target).bytes(),
                  TarMaker().file("l/evil", "x").file("l/.wh..wh..opq", "").bytes(),
                  TarMaker().directory("l", {.mode = 0777}).bytes()});
  }
  // A chain of links, each harmless on its own.
  (void)unpack({TarMaker()
                    .directory("d")
                    .symlink("d/up", "..")
                    .symlink("d/up2", "up/../..")
                    .file("d/up2/outside/evil", "x")
                    .bytes()});
}

TEST_F(UnpackTest, AFileReplacesALinkAndIsNotWrittenThroughIt) {
  ASSERT_OK(unpack({TarMaker().symlink("f", outside("secret")).bytes(),
                    TarMaker().file("f", "own", {.mode = 0777}).bytes()}));
  EXPECT_EQ(content(root("f")), "own");
  ASSERT_OK(unpack({TarMaker().symlink("d", outside()).bytes(),
                    TarMaker().directory("d", {.mode = 0777}).bytes()}));
  EXPECT_TRUE(S_ISDIR(look(root("d")).st_mode));
}

TEST_F(UnpackTest, HardLinksStayInside) {
  for (const std::string& target :
       {outside("secret"), std::string("../outside/secret"), "l/secret" + std::string()}) {
    auto refused = unpack({TarMaker().symlink("l", outside()).hard_link("h", target).bytes()});
    EXPECT_FALSE(refused.ok()) << target;
  }
  // Replacing one of two hard links keeps the other.
  ASSERT_OK(unpack(
      {TarMaker().file("a", "1").hard_link("b", "a").bytes(), TarMaker().file("b", "2").bytes()}));
  EXPECT_EQ(content(root("a")), "1");
}

TEST_F(UnpackTest, AHardLinkToALinkDoesNotFollowIt) {
  ASSERT_OK(unpack(
      {TarMaker().symlink("l", outside("secret")).hard_link("h", "l").file("h", "x").bytes()}));
  EXPECT_EQ(content(root("h")), "x");
}

TEST_F(UnpackTest, SizeAndCountLimitsAreEnforced) {
  const std::string big = TarMaker(Packing::kGzip).file("f", std::string(1 << 20, 'x')).bytes();
  auto large = unpack({big}, {.max_bytes = 1000});
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().hint.find("--max-bytes"), std::string::npos) << large.error().describe();
  ASSERT_OK(unpack({big}, {.max_bytes = 1 << 20}));
  auto many = unpack({TarMaker().file("a", "").file("b", "").bytes()}, {.max_entries = 1});
  EXPECT_FALSE(many.ok());
}

TEST_F(UnpackTest, TruncatedArchiveIsRefused) {
  const std::string plain = TarMaker().file("f", std::string(100'000, 'x')).bytes();
  for (Packing packing :
       {Packing::kNone, Packing::kGzip, Packing::kBzip2, Packing::kXz, Packing::kZstd}) {
    const std::string whole = packed(plain, packing);
    auto refused = unpack({whole.substr(0, whole.size() / 2)});
    ASSERT_FALSE(refused.ok()) << static_cast<int>(packing);
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt) << refused.error().describe();
  }
}

TEST_F(UnpackTest, NonArchiveIsRefusedWithAHint) {
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string(5000, '\x7f')}) {
    auto refused = unpack({bytes});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().hint.find("tar"), std::string::npos) << refused.error().describe();
  }
}

TEST_F(UnpackTest, WrongDigestsAreFound) {
  const std::string plain = TarMaker().file("f", "x").bytes();
  const std::string zipped = packed(plain, Packing::kGzip);
  auto unpacked = [&](const std::string& blob_digest, const std::string& diff_id) {
    Layer one = layer(zipped);
    one.blob_digest = blob_digest;
    one.diff_id = diff_id;
    return unpack_layers({one}, Whiteouts::kApplied, root(), {}, {});
  };
  EXPECT_OK(unpacked(sha256_of(zipped), sha256_of(plain)));
  for (const auto& [blob, diff] : {std::pair(sha256_of("other"), sha256_of(plain)),
                                   std::pair(sha256_of(zipped), sha256_of("other"))}) {
    auto refused = unpacked(blob, diff);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(refused.error().message.find(sha256_of("other")), std::string::npos);
  }
}

}  // namespace
}  // namespace sf::roots
