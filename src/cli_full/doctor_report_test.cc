#include "cli_full/doctor_report.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

using waypoint::Finding;
using waypoint::FindingState;
using waypoint::HostPart;

TEST(DoctorReportTest, LinesAreAlignedAndProblemsExplained) {
  std::vector<Finding> findings = {
      {"kernel", "Linux", HostPart::kSessions, FindingState::kOk, "6.1", "unused", ""},
      {"btrfs", "btrfs in the kernel", HostPart::kComfort, FindingState::kWarning, "not there",
       "copies", "modprobe btrfs"},
      {"bash", "bash", HostPart::kSessions, FindingState::kMissing, "none", "no shell", ""},
  };
  EXPECT_EQ(doctor_report(findings),
            "✓ Linux                6.1\n"
            "! btrfs in the kernel  not there\n"
            "    costs: copies\n"
            "    fix:   modprobe btrfs\n"
            "✗ bash                 none\n"
            "    costs: no shell\n"
            "\n"
            "not ready: sessions cannot run (bash)\n");
}

TEST(DoctorReportTest, VeryLongNeedDoesNotMoveTheOtherLines) {
  std::vector<Finding> findings = {
      {"a", "short", HostPart::kSessions, FindingState::kOk, "seen", "", ""},
      {"store", "store " + std::string(200, 'x'), HostPart::kSessions, FindingState::kOk, "seen",
       "", ""},
  };
  EXPECT_TRUE(doctor_report(findings).starts_with("✓ short" + std::string(45, ' ') + "  seen\n"));
}

TEST(DoctorReportTest, ControlCharactersDoNotBreakLines) {
  std::vector<Finding> findings = {
      {"a", "need", HostPart::kSessions, FindingState::kOk, "two\nlines\x1b[1m", "", ""}};
  EXPECT_TRUE(doctor_report(findings).starts_with("✓ need  two lines [1m\n"));
}

}  // namespace
}  // namespace sf::cli
