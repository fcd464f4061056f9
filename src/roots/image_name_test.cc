#include "roots/image_name.h"

#include <gtest/gtest.h>

namespace sf::roots {
namespace {

TEST(ImageNameTest, EquivalentNamesAreTheSameImage) {
  EXPECT_TRUE(is_same_image("debian", "docker.io/library/debian:latest"));
  EXPECT_TRUE(is_same_image("tiny:1", "localhost/tiny:1"));
  EXPECT_TRUE(is_same_image("host:5000/a/b", "host:5000/a/b:latest"));
  EXPECT_FALSE(is_same_image("debian:12", "debian"));
  EXPECT_FALSE(is_same_image("a/debian", "debian"));
  EXPECT_FALSE(is_same_image("", "debian"));
}

TEST(ImageNameTest, KernelMachineNamesMapToImageArchitectures) {
  EXPECT_EQ(architecture_of("x86_64"), "amd64");
  EXPECT_EQ(architecture_of("aarch64"), "arm64");
  EXPECT_EQ(architecture_of("riscv64"), "riscv64");
  EXPECT_EQ(to_string(Platform{"linux", "amd64"}), "linux/amd64");
}

}  // namespace
}  // namespace sf::roots
