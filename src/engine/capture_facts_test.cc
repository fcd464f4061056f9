#include "engine/capture_facts.h"

#include <gtest/gtest.h>

#include <random>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::waypoint {
namespace {

const std::string kHeading =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode                                                     \n";

std::string socket_line(const std::string& state, const std::string& queues) {
  return "   0: 0100007F:9C40 0100007F:1F90 " + state + " " + queues +
         " 00:00000000 00000000     0        0 41234 1 00000000e99cfea2 20 4 30 10 -1       \n";
}

bool in_flight(const std::string& state, const std::string& queues = "00000000:00000000") {
  return has_tcp_in_flight(kHeading + socket_line(state, queues));
}

TEST(TcpInFlightTest, NoSocketsMeanNothingInFlight) {
  EXPECT_FALSE(has_tcp_in_flight(""));
  EXPECT_FALSE(has_tcp_in_flight(kHeading));
}

TEST(TcpInFlightTest, AListenerIsSettledEvenWithUnacceptedConnections) {
  EXPECT_FALSE(has_tcp_in_flight(
      kHeading +
      "   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "1061 1 00000000e99cfea2 100 0 0 10 0                      \n"));
  EXPECT_FALSE(in_flight("0A", "00000000:00000003"));
}

TEST(TcpInFlightTest, AnIdleConnectionIsSettled) {
  EXPECT_FALSE(in_flight("01"));
  EXPECT_FALSE(in_flight("01", "00000000:00000400")) << "received but unread data is settled";
}

TEST(TcpInFlightTest, UnacknowledgedDataIsInFlight) {
  EXPECT_TRUE(in_flight("01", "00000001:00000000"));
  EXPECT_TRUE(in_flight("08", "00000400:00000000"));
}

TEST(TcpInFlightTest, EveryStateIsSettledOrInFlight) {
  for (const char* settled : {"01", "05", "06", "07", "08", "0A"})
    EXPECT_FALSE(in_flight(settled)) << settled;
  // SYN_SENT, SYN_RECV, FIN_WAIT1, LAST_ACK, CLOSING, NEW_SYN_RECV
  for (const char* moving : {"02", "03", "04", "09", "0B", "0C"})
    EXPECT_TRUE(in_flight(moving)) << moving;
}

TEST(TcpInFlightTest, AConnectionInSynSentIsFoundAfterIdleOnes) {
  std::string quiet =
      socket_line("0A", "00000000:00000000") + socket_line("01", "00000000:00000000");
  EXPECT_FALSE(has_tcp_in_flight(kHeading + quiet));
  EXPECT_TRUE(has_tcp_in_flight(
      kHeading + quiet +
      "   2: 0200000A:8F3C 0101A8C0:01BB 02 00000001:00000000 01:00000032 00000000     0        0 "
      "52113 2 0000000012345678 100 0 0 10 -1                    \n"));
}

TEST(TcpInFlightTest, TheIpv6TableIsParsedLikeTheIpv4Table) {
  const std::string heading =
      "  sl  local_address                         remote_address                        st "
      "tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
  const std::string addresses =
      "   0: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:9C40 ";
  const std::string rest =
      " 00:00000000 00000000     0        0 51 1 0000000000000000 20 4 0 10 -1\n";
  EXPECT_FALSE(has_tcp_in_flight(heading + addresses + "01 00000000:00000000" + rest));
  EXPECT_TRUE(has_tcp_in_flight(heading + addresses + "01 00000010:00000000" + rest));
  EXPECT_TRUE(has_tcp_in_flight(heading + addresses + "02 00000000:00000000" + rest));
}

TEST(TcpInFlightTest, DamagedTablesDoNotCrash) {
  std::mt19937 random(8);
  for (int round = 0; round < 2'000; ++round) {
    std::string table = kHeading + socket_line("01", "00000000:00000000");
    for (int i = 0; i < 5; ++i) table[random() % table.size()] = static_cast<char>(random());
    table.resize(random() % table.size());
    (void)has_tcp_in_flight(table);
    (void)has_entries(table);
  }
}

TEST(HasEntriesTest, AHeadingAloneHasNoEntries) {
  const std::string heading =
      "       key      shmid perms                  size  cpid  lpid nattch\n";
  EXPECT_FALSE(has_entries(""));
  EXPECT_FALSE(has_entries(heading));
  EXPECT_TRUE(
      has_entries(heading + "         0          1  1600                  4096     7     7\n"));
}

TEST(IpcObjectsTest, AnUnreadableTableCountsAsNonEmpty) {
  test::TempDir tables;
  EXPECT_TRUE(has_ipc_objects(tables / "none"));
  for (const char* table : {"shm", "sem", "msg"}) {
    EXPECT_TRUE(has_ipc_objects(tables.path())) << table << " is missing";
    ASSERT_OK(os::write_file(tables / table, "       key      id perms\n"));
  }
  EXPECT_FALSE(has_ipc_objects(tables.path())) << "three headings and nothing else";
  ASSERT_OK(os::write_file(tables / "sem", "       key      id perms\n         1       0   600\n"));
  EXPECT_TRUE(has_ipc_objects(tables.path()));
}

}  // namespace
}  // namespace sf::waypoint
