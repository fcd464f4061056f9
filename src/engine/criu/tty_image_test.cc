#include "engine/criu/tty_image.h"

#include <gtest/gtest.h>

namespace sf::waypoint::criu {
namespace {

const std::string kMagicWords("\x19\x43\x56\x54\x36\x30\x45\x59", 8);

// id 0, type 1, session, group, device 34816 (pts/0) or 34817, then some other bytes.
std::string entry(char session, char group, char minor) {
  std::string body{'\x08',  '\x00', '\x10', '\x01', '\x30',
                   session, '\x38', group,  '\x40', static_cast<char>(0x80 | minor),
                   '\x90',  '\x02'};
  body += std::string("\x4a\x02zz", 4);
  return std::string{static_cast<char>(body.size()), 0, 0, 0} + body;
}

TEST(TtyImageTest, ATerminalWithoutASessionGetsTheGivenOne) {
  auto fixed = with_terminal_session(kMagicWords + entry(0, 0, 0), 2, 9);
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(*fixed, kMagicWords + entry(2, 9, 0));
}

TEST(TtyImageTest, OtherTerminalsAreUnchanged) {
  for (const std::string& image :
       {kMagicWords + entry(5, 6, 0), kMagicWords + entry(0, 0, 1), kMagicWords}) {
    auto same = with_terminal_session(image, 2, 9);
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(*same, image);
  }
}

TEST(TtyImageTest, LargePidsFit) {
  auto fixed = with_terminal_session(kMagicWords + entry(0, 0, 0), 30000, 31000);
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(fixed->size(), kMagicWords.size() + entry(0, 0, 0).size() + 4);
}

TEST(TtyImageTest, GarbageIsCorrupt) {
  EXPECT_FALSE(with_terminal_session("abc", 2, 9).ok());
  std::string whole = kMagicWords + entry(0, 0, 0);
  for (std::size_t cut = kMagicWords.size() + 1; cut < whole.size(); ++cut)
    EXPECT_FALSE(with_terminal_session(whole.substr(0, cut), 2, 9).ok()) << cut;
}

}  // namespace
}  // namespace sf::waypoint::criu
