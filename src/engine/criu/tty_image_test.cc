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

const std::string kFileMagic("\x32\x22\x17\x56\x01\x10\x14\x56", 8);

// One open file of a terminal: type, id, and within it id, terminal, flags, owner, path.
std::string terminal_file(char id, char terminal) {
  std::string inner{'\x08', id, '\x10', terminal, '\x18', '\x02', '\x22', '\x00', '\x30', '\x05'};
  std::string body{'\x08', '\x0b', '\x10', id, '\x9a', '\x01', static_cast<char>(inner.size())};
  body += inner;
  return std::string{static_cast<char>(body.size()), 0, 0, 0} + body;
}

std::string ordinary_file(char id) {
  return std::string{8, 0, 0, 0, '\x08', '\x01', '\x10', id, '\x1a', '\x02', 'z', 'z'};
}

TEST(TtyImageTest, AnEvenNumberOfTerminalFilesGetsOneMore) {
  const std::string terminals = kMagicWords + entry(2, 9, 0);
  const std::string two = kFileMagic + terminal_file(3, 0) + ordinary_file(8) + terminal_file(4, 0);
  auto led = with_terminal_leader(two, terminals);
  ASSERT_TRUE(led.ok());
  EXPECT_EQ(*led, two + terminal_file(9, 0));
}

TEST(TtyImageTest, AnOddNumberOfTerminalFilesStays) {
  const std::string terminals = kMagicWords + entry(2, 9, 0);
  for (const std::string& files :
       {kFileMagic, kFileMagic + ordinary_file(1), kFileMagic + terminal_file(3, 0),
        kFileMagic + terminal_file(3, 0) + terminal_file(4, 0) + terminal_file(5, 0)}) {
    auto same = with_terminal_leader(files, terminals);
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(*same, files);
  }
}

TEST(TtyImageTest, FilesOfOtherTerminalsDoNotCount) {
  const std::string others = kFileMagic + terminal_file(3, 1) + terminal_file(4, 1);
  for (const std::string& files : {others, others + terminal_file(5, 0)}) {
    auto same = with_terminal_leader(files, kMagicWords + entry(2, 9, 0));
    ASSERT_TRUE(same.ok());
    EXPECT_EQ(*same, files);
  }
  auto same = with_terminal_leader(others, kMagicWords + entry(2, 9, 1));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(*same, others);
}

TEST(TtyImageTest, GarbageInTheListOfFilesIsCorrupt) {
  const std::string terminals = kMagicWords + entry(2, 9, 0);
  EXPECT_FALSE(with_terminal_leader("abc", terminals).ok());
  EXPECT_FALSE(with_terminal_leader(kFileMagic, "abc").ok());
  std::string whole = kFileMagic + terminal_file(3, 0);
  for (std::size_t cut = kFileMagic.size() + 1; cut < whole.size(); ++cut)
    EXPECT_FALSE(with_terminal_leader(whole.substr(0, cut), terminals).ok()) << cut;
}

}  // namespace
}  // namespace sf::waypoint::criu
