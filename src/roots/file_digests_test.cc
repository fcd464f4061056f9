#include "roots/file_digests.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "roots/sha256.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::roots {
namespace {

TEST(FileDigestsTest, FileIsRecognizedUntilItChanges) {
  FileDigests table;
  FileMark mark{"/a\xff.tar", 1, 2, 3, 4};
  table.remember(mark, "", sha256_of("x"));
  FileDigests back = FileDigests::parse(table.to_text());
  EXPECT_EQ(back.find(mark, ""), sha256_of("x"));
  EXPECT_EQ(back.find(mark, "other-image"), std::nullopt);
  for (auto change : {+[](FileMark& m) { m.inode++; }, +[](FileMark& m) { m.size++; },
                      +[](FileMark& m) { m.modified_ns++; }, +[](FileMark& m) { m.path += "x"; },
                      +[](FileMark& m) { m.device++; }}) {
    FileMark other = mark;
    change(other);
    EXPECT_EQ(back.find(other, ""), std::nullopt);
  }
}

TEST(FileDigestsTest, NewestEntriesAreKept) {
  FileDigests table;
  for (std::uint64_t i = 0; i < FileDigests::kMaxEntries + 10; ++i)
    table.remember({"/f" + std::to_string(i)}, "", sha256_of("x"));
  EXPECT_EQ(table.size(), FileDigests::kMaxEntries);
  EXPECT_EQ(table.find({"/f0"}, ""), std::nullopt);
  EXPECT_TRUE(table.find({"/f20"}, "").has_value());
  table.remember({"/f20", 0, 9}, "", sha256_of("y"));
  EXPECT_EQ(table.size(), FileDigests::kMaxEntries);
  EXPECT_EQ(table.find({"/f20", 0, 9}, ""), sha256_of("y"));
}

TEST(FileDigestsTest, DamagedTextGivesAnEmptyCache) {
  for (const char* text : {"", "x", "[]", R"({"version": 9, "files": [1]})",
                           R"({"version": 1, "files": [1, {}, {"path": 3, "digest": "x"}]})"})
    EXPECT_EQ(FileDigests::parse(text).size(), 0U) << text;
}

TEST(FileDigestsTest, FileThatWasJustWrittenIsNotSettled) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  FileMark mark;
  mark.modified_ns = 100 * kSecond;
  EXPECT_FALSE(is_settled(mark, 101 * kSecond));
  EXPECT_FALSE(is_settled(mark, 90 * kSecond));
  EXPECT_TRUE(is_settled(mark, 103 * kSecond));
}

TEST(FileDigestsTest, MarksAreReadFromTheFile) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "f", "abc"));
  ASSERT_OK_AND_ASSIGN(FileMark mark, mark_of(dir / "f"));
  EXPECT_EQ(mark.size, 3U);
  ASSERT_OK(os::publish_file(dir / "f", "abc"));
  ASSERT_OK_AND_ASSIGN(FileMark other, mark_of(dir / "f"));
  EXPECT_FALSE(mark == other);
  EXPECT_FALSE(mark_of(dir / "missing").ok());
}

}  // namespace
}  // namespace sf::roots
