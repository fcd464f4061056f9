#include "engine/native/files/pty_data.h"

#include <asm/termbits.h>
#include <gtest/gtest.h>

#include <cstring>

namespace sf::waypoint::native {
namespace {

TEST(NativePtyDataTest, QuietSettingsKeepCanonicalMode) {
  termios2 usual{};
  usual.c_iflag = ICRNL | IXON;
  usual.c_oflag = OPOST;
  usual.c_lflag = ICANON | ECHO | ISIG;
  usual.c_cc[VINTR] = 3;
  std::string quiet =
      quiet_settings({reinterpret_cast<const char*>(&usual), sizeof usual}, /*end_of_file=*/9);
  termios2 seen{};
  ASSERT_EQ(quiet.size(), sizeof seen);
  std::memcpy(&seen, quiet.data(), sizeof seen);
  EXPECT_EQ(seen.c_iflag, 0U);
  EXPECT_EQ(seen.c_oflag, 0U);
  EXPECT_EQ(seen.c_lflag, static_cast<tcflag_t>(ICANON));
  EXPECT_EQ(seen.c_cc[VINTR], 0);
  EXPECT_EQ(seen.c_cc[VEOF], 9);
}

}  // namespace
}  // namespace sf::waypoint::native
