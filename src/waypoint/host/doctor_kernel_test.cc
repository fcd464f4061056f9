#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "os/file.h"
#include "testing/temp_dir.h"
#include "waypoint/host/doctor.h"
#include "waypoint/root_template.h"
#include "waypoint/waypoint.h"

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

TEST(DoctorKernelTest, ExaminationIsQuickAndLeavesNoMountAndNoStore) {
  std::string before = mounts();
  std::string store = testing::TempDir() + "/doctor_kernel_test_store";
  Stopwatch watch;
  auto findings = examine_host({.store_dir = store});
  EXPECT_LT(watch.elapsed(), seconds(5)) << "meant to take less than one second on an idle machine";
  EXPECT_EQ(mounts(), before);
  EXPECT_FALSE(os::exists(store));
  EXPECT_EQ(state_of(findings, "store"), FindingState::kOk);
}

TEST(DoctorKernelTest, TheTestMachineMeetsTheNeedsOfSessions) {
  auto findings = examine_host({});
  for (const char* id :
       {"kernel", "root", "namespace_pid", "mount_api", "overlay", "devpts", "ptrace", "bash",
        "nf_tables", "waypoint_keeper", "waypoint_init", "libwaypoint_criu_shim"})
    EXPECT_EQ(state_of(findings, id), FindingState::kOk) << id;
}

// Each helper in turn is missing.
TEST(DoctorKernelTest, TheDoctorReportsEachMissingHelperThatOpenNeeds) {
  const Helpers real = look_for_helpers("");
  for (const Helper& missing : real.all()) {
    test::TempDir dir;
    for (const Helper& helper : real.all()) {
      if (helper.name == missing.name) continue;
      ASSERT_EQ(::symlink(helper.path.c_str(), (dir / helper.name).c_str()), 0);
    }
    std::string id = missing.name.substr(0, missing.name.find('.'));
    std::ranges::replace(id, '-', '_');
    EXPECT_EQ(state_of(examine_host({.helper_dir = dir.path()}), id), FindingState::kMissing) << id;
    auto opened = Waypoint::open({.store_dir = dir / "store", .helper_dir = dir.path()});
    ASSERT_FALSE(opened.ok()) << id;
    EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
    EXPECT_NE(opened.error().message.find(dir / missing.name), std::string::npos)
        << opened.error().message;
  }
}

TEST(DoctorKernelTest, BashInUsrLocalIsFound) {
  test::TempDir root;
  EXPECT_EQ(state_of(examine_host({.root = root.path()}), "bash"), FindingState::kMissing);
  EXPECT_FALSE(check_base_root(root.path()).ok());
  ASSERT_TRUE(os::make_directories(root / "usr/local/bin"));
  ASSERT_EQ(::symlink("/opt/bash", (root / "usr/local/bin/bash").c_str()), 0);
  EXPECT_EQ(state_of(examine_host({.root = root.path()}), "bash"), FindingState::kOk);
  EXPECT_TRUE(check_base_root(root.path()).ok());
}

TEST(DoctorKernelTest, AMissingCriuIsReportedByItsPath) {
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
