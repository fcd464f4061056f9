#include <gtest/gtest.h>

#include "base/clock.h"
#include "os/file.h"
#include "os/host_info.h"
#include "waypoint/doctor.h"

namespace sf::waypoint {
namespace {

FindingState state_of(const std::vector<Finding>& findings, const std::string& id) {
  for (const Finding& found : findings) {
    if (found.id == id) return found.state;
  }
  ADD_FAILURE() << "no finding " << id;
  return FindingState::kMissing;
}

std::string mounts() {
  auto text = os::read_file("/proc/self/mountinfo");
  return text ? *text : "";
}

TEST(DoctorKernelTest, AnExaminationIsQuickAndLeavesNoMountAndNoStore) {
  std::string before = mounts();
  std::string store = testing::TempDir() + "/doctor_kernel_test_store";
  Stopwatch watch;
  auto findings = examine_host({.store_dir = store});
  EXPECT_LT(watch.elapsed(), seconds(5)) << "meant to take less than one second on an idle machine";
  EXPECT_EQ(mounts(), before);
  EXPECT_FALSE(os::exists(store));
  EXPECT_EQ(state_of(findings, "store"), FindingState::kOk);
}

TEST(DoctorKernelTest, AMachineThatRunsTheseTestsHasWhatSessionsNeed) {
  if (!os::is_root()) GTEST_SKIP() << "needs root";
  auto findings = examine_host({});
  for (const char* id :
       {"kernel", "root", "namespace_pid", "mount_api", "overlay", "devpts", "ptrace", "bash"})
    EXPECT_EQ(state_of(findings, id), FindingState::kOk) << id;
}

TEST(DoctorKernelTest, ACriuThatIsNotThereIsReportedByItsPath) {
  auto findings = examine_host({.criu_path = "/no/such/criu"});
  for (const Finding& found : findings) {
    if (found.id != "criu") continue;
    EXPECT_EQ(found.detail, "no CRIU at /no/such/criu");
  }
  EXPECT_EQ(state_of(findings, "criu"), FindingState::kMissing);
  EXPECT_FALSE(is_ready(findings));
}

}  // namespace
}  // namespace sf::waypoint
