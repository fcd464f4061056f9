#include "engine/native/process/proc_texts.h"

#include <gtest/gtest.h>

namespace sf::waypoint::native {
namespace {

constexpr const char* kStat =
    "1234 (a) b) S 1 2 3 34816 5 0 0 0 0 0 0 0 0 0 20 7 3 0 99 0 0 0 1000 2000 3000 0 0 0 0 0 0 0 "
    "0 "
    "0 17 0 0 0 0 0 0 4000 5000 6000 7000 7100 7200 7300 1536\n";

TEST(ProcTextsTest, AStatLineIsParsedAfterANameWithBracketsAndBlanks) {
  auto stat = parse_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) b");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->terminal, 34816);
  EXPECT_EQ(stat->nice, 7);
  EXPECT_EQ(stat->threads, 3U);
  EXPECT_EQ(stat->start_time, 99U);
  EXPECT_EQ(stat->exit_signal, 17);
  EXPECT_EQ(stat->exit_status, 1536);
  EXPECT_EQ(stat->bounds, (std::array<std::uint64_t, 11>{1000, 2000, 4000, 5000, 6000, 0, 3000,
                                                         7000, 7100, 7200, 7300}));
}

TEST(ProcTextsTest, AShortStatLineIsRefused) {
  EXPECT_FALSE(parse_stat("1 (x) S 1 2"));
  EXPECT_FALSE(parse_stat(""));
}

TEST(ProcTextsTest, AStatusIsReadWithPidsOfEveryNamespace) {
  auto status = parse_status(
      "Name:\tx\nUmask:\t0027\nTracerPid:\t7\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t10 20 \n"
      "NSpid:\t900\t12\nNSpgid:\t800\t11\nNSsid:\t700\t2\nCapInh:\t00000000000000ff\n"
      "CapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:\t2\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->umask, 027U);
  EXPECT_EQ(status->tracer, 7);
  EXPECT_EQ(status->credentials.uids, (std::array<std::uint32_t, 4>{1, 2, 3, 4}));
  EXPECT_EQ(status->credentials.groups, (std::vector<std::uint32_t>{10, 20}));
  EXPECT_EQ(status->credentials.capabilities[0], 0xffU);
  EXPECT_EQ(status->credentials.capabilities[3], 0x1ffffffffffU);
  EXPECT_EQ(status->pids, (std::vector<pid_t>{900, 12}));
  EXPECT_EQ(status->sessions.back(), 2);
  EXPECT_EQ(status->seccomp, 2U);
}

TEST(ProcTextsTest, AStatusWithoutPidsIsRefused) { EXPECT_FALSE(parse_status("Name:\tx\n")); }

TEST(ProcTextsTest, MappingsAreReadWithNamesThatHoldBlanksAndWithTheirFlags) {
  auto maps = parse_smaps(
      "7f0000000000-7f0000002000 r-xp 00001000 08:01 42   /tmp/a b (deleted)\n"
      "Size:                  8 kB\nVmFlags: rd ex mr mw me sd \n"
      "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \nRss: 4 kB\nVmFlags: rd wr gd \n");
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 2U);
  EXPECT_EQ((*maps)[0].name, "/tmp/a b (deleted)");
  EXPECT_EQ((*maps)[0].offset, 0x1000U);
  EXPECT_EQ((*maps)[0].inode, 42U);
  EXPECT_EQ((*maps)[0].flags.size(), 6U);
  EXPECT_EQ((*maps)[1].name, "");
  EXPECT_EQ((*maps)[1].flags.back(), "gd");
}

TEST(ProcTextsTest, OffsetFlagsAndLocksOfADescriptorAreRead) {
  auto info = parse_fdinfo(
      "pos:\t77\nflags:\t02100001\nmnt_id:\t3\nino:\t4\nlock:\t1: FLOCK ADVISORY WRITE 5 0:1:2 0 "
      "EOF\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->offset, 77U);
  EXPECT_EQ(info->flags, 02100001U);
  EXPECT_NE(info->text.find("FLOCK"), std::string::npos);
  EXPECT_FALSE(parse_fdinfo("pos:\t1\n"));
}

}  // namespace
}  // namespace sf::waypoint::native
