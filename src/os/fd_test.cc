#include "os/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace sf::os {
namespace {

static_assert(!std::is_copy_constructible_v<UniqueFd>);
static_assert(!std::is_convertible_v<UniqueFd, int>);
static_assert(!std::is_convertible_v<int, UniqueFd>);
static_assert(std::is_nothrow_move_constructible_v<UniqueFd>);

UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFdTest, TheOwnerClosesWhatItOwns) {
  int number = -1;
  {
    UniqueFd fd = open_null();
    number = fd.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFdTest, AMoveLeavesOneOwner) {
  UniqueFd first = open_null();
  int number = first.get();
  UniqueFd second(std::move(first));
  EXPECT_FALSE(first.valid());  // NOLINT: a moved-from owner owns nothing
  EXPECT_EQ(second.get(), number);
  UniqueFd third = open_null();
  int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), number);
  EXPECT_FALSE(is_open(replaced));
}

TEST(UniqueFdTest, ASelfMoveKeepsTheDescriptor) {
  UniqueFd fd = open_null();
  int number = fd.get();
  UniqueFd& same = fd;
  fd = std::move(same);
  EXPECT_EQ(fd.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(UniqueFdTest, ReleaseGivesUpOwnershipWithoutClosing) {
  UniqueFd fd = open_null();
  int number = fd.release();
  EXPECT_FALSE(fd.valid());
  EXPECT_TRUE(is_open(number));
  fd.reset(number);
  fd.reset();
  EXPECT_FALSE(is_open(number));
}

}  // namespace
}  // namespace sf::os
