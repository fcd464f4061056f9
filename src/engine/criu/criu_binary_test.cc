#include "engine/criu/criu_binary.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "os/file.h"

namespace sf::waypoint {
namespace {

TEST(CriuVersionTest, ReleasesAreRead) {
  auto version = parse_criu_version("Version: 4.3\nGitID: v4.3\n");
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, (CriuVersion{4, 3, 0}));
  EXPECT_EQ(to_string(*version), "4.3");
  version = parse_criu_version("Version: 4.1.1\n");
  ASSERT_TRUE(version);
  EXPECT_EQ(to_string(*version), "4.1.1");
  version = parse_criu_version("Version: 4.2-rc1\n");
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, (CriuVersion{4, 2, 0}));
}

TEST(CriuVersionTest, VersionsAreComparedAsNumbersNotAsText) {
  EXPECT_LT((CriuVersion{3, 17, 1}), kOldestCriu);
  EXPECT_GT((CriuVersion{4, 10, 0}), (CriuVersion{4, 9, 0}));
}

TEST(CriuVersionTest, OutputWithoutAVersionIsCorrupt) {
  for (const char* text : {"", "criu: not found", "Version: unknown", "Version: 4"}) {
    auto version = parse_criu_version(text);
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().code, ErrorCode::kCorrupt);
  }
}

class FindCriuTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/criu_binary_test.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }
  std::string program(const std::string& name) {
    std::string path = dir_ + "/" + name;
    EXPECT_TRUE(os::make_directories(path.substr(0, path.rfind('/'))));
    EXPECT_TRUE(os::write_file(path, "#!/bin/sh\n", 0700));
    return path;
  }
  CriuEnvironment environment() const {
    return {.binary = "", .prefix = dir_ + "/prefix", .search_path = dir_ + "/path"};
  }

  std::string dir_;
};

TEST_F(FindCriuTest, TheExplicitPathComesFirstThenTheVariableThenThePrefixThenPath) {
  std::string in_path = program("path/criu");
  CriuEnvironment around = environment();
  EXPECT_EQ(*find_criu("", around), in_path);
  std::string in_prefix = program("prefix/bin/criu");
  EXPECT_EQ(*find_criu("", around), in_prefix);
  around.binary = program("mine");
  EXPECT_EQ(*find_criu("", around), around.binary);
  std::string explicit_path = program("explicit");
  EXPECT_EQ(*find_criu(explicit_path, around), explicit_path);
}

TEST_F(FindCriuTest, AGivenPathThatCannotBeRunIsAnErrorWithoutFallback) {
  program("path/criu");
  CriuEnvironment around = environment();
  auto found = find_criu(dir_ + "/nowhere", around);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  around.binary = dir_ + "/nowhere";
  found = find_criu("", around);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("STATEFORK_CRIU"), std::string::npos);
}

TEST_F(FindCriuTest, AFileThatIsNotExecutableIsSkipped) {
  std::string path = program("path/criu");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  auto found = find_criu("", environment());
  EXPECT_TRUE(!found || *found != path);
}

}  // namespace
}  // namespace sf::waypoint
