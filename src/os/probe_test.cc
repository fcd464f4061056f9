#include "os/probe.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "os/error.h"
#include "os/file.h"
#include "os/run_program.h"
#include "testing/matchers.h"

namespace sf::os {
namespace {

Deadline soon() { return Deadline::after(seconds(10)); }

std::string read_or_empty(const std::string& path) {
  auto text = read_file(path);
  return text ? *text : "";
}

std::size_t open_descriptors() {
  auto names = list_directory("/proc/self/fd");
  return names ? names->size() : 0;
}

TEST(ProbeTest, AProbeReturnsItsErrnoAndMessage) {
  Status verdict = probe_in_child([] { return Status(os_error(EPERM, "trying")); }, soon());
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().os_errno, EPERM);
  EXPECT_EQ(verdict.error().message, "trying: EPERM: Operation not permitted");
  EXPECT_TRUE(is_refusal(verdict.error()));
}

TEST(ProbeTest, AProbeThatWorksIsOk) {
  EXPECT_TRUE(probe_in_child([] { return Status(Ok{}); }, soon()));
}

TEST(ProbeTest, AProbeThatDiesSaysHow) {
  Status verdict = probe_in_child(
      []() -> Status {
        ::raise(SIGKILL);
        return Ok{};
      },
      soon());
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().message, "the probe ended: killed by SIGKILL");
}

TEST(ProbeTest, AProbeThatHangsIsEndedAtTheDeadline) {
  Status verdict = probe_in_child(
      []() -> Status {
        for (;;) ::pause();
      },
      Deadline::after(milliseconds(20)));
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, ErrorCode::kTimedOut);
}

TEST(ProbeTest, AVeryLongMessageIsTruncated) {
  Status verdict = probe_in_child(
      [] { return Status(fail(ErrorCode::kOs, std::string(100'000, 'x'))); }, soon());
  ASSERT_FALSE(verdict);
  EXPECT_TRUE(verdict.error().message.starts_with("xxx"));
}

TEST(ProbeTest, MountsMadeInAPrivateNamespaceAreNotSeenOutside) {
  std::string before = read_or_empty("/proc/self/mountinfo");
  EXPECT_TRUE(probe_mount_api(soon()));
  EXPECT_TRUE(probe_overlay({{"redirect_dir", "on"}}, soon()));
  EXPECT_EQ(read_or_empty("/proc/self/mountinfo"), before);
}

TEST(ProbeTest, AnOverlayOptionThatDoesNotExistIsNamed) {
  Status verdict = probe_overlay({{"no_such_option", "on"}}, soon());
  ASSERT_FALSE(verdict);
  EXPECT_NE(verdict.error().message.find("overlay"), std::string::npos) << verdict.error().message;
}

TEST(ProbeTest, AnOverlayWithoutRedirectsFailsTheRename) {
  Status verdict = probe_overlay({{"redirect_dir", "off"}, {"metacopy", "off"}}, soon());
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().os_errno, EXDEV);
}

TEST(ProbeTest, AnUnknownFileSystemIsNotAvailable) {
  EXPECT_TRUE(probe_file_system("proc", soon()));
  EXPECT_FALSE(probe_file_system("nosuchfs", soon()));
}

TEST(ProbeTest, PacketsCanBeHeldInANewNetworkNamespace) {
  Status verdict = probe_nf_tables(soon());
  EXPECT_TRUE(verdict) << verdict.error().message;
}

// As in a container: the apparent top group contains a process, so the kernel does not let it
// enable controllers for its child groups.
TEST(CgroupKernelTest, ALimitBelowATopGroupWithProcessesIsUnsupported) {
  CgroupLayout host = read_cgroup_layout();
  ASSERT_FALSE(host.unified.empty()) << "this test needs a cgroup v2 tree";
  ASSERT_OK_AND_ASSIGN(
      Cgroup top, Cgroup::create({.unified = host.unified, .v1 = {}, .unified_controllers = {}},
                                 "probe-test-" + std::to_string(::getpid()), {}));
  {
    ASSERT_OK_AND_ASSIGN(
        Child inhabitant,
        spawn({.argv = {"/bin/sleep", "1000"}, .env = {}, .cgroup_procs = top.procs_files()}));
    CgroupLayout container{.unified = top.directories().front(),
                           .v1 = {},
                           .unified_controllers = {"memory", "pids", "cpu"}};
    auto group = Cgroup::create(container, "k-limited", {.memory_bytes = 1U << 30U});
    ASSERT_FALSE(group.ok());
    EXPECT_EQ(group.error().code, ErrorCode::kUnsupported);
    EXPECT_TRUE(group.error().message.starts_with("this host cannot limit memory: "))
        << group.error().message;
    auto unlimited = Cgroup::create(container, "k-unlimited", {});
    ASSERT_OK(unlimited);
    ASSERT_OK(unlimited->remove(soon()));
  }
  ASSERT_OK(top.remove(soon()));
}

TEST(ProbeTest, ProbesLeaveNoDescriptorMountOrControlGroup) {
  std::string mounts = read_or_empty("/proc/self/mountinfo");
  std::size_t descriptors = open_descriptors();
  (void)probe_namespaces(soon());
  (void)probe_devpts(soon());
  (void)probe_loop_device(soon());
  (void)probe_nf_tables(soon());
  (void)probe_ptrace(soon());
  (void)probe_userfaultfd(soon());
  (void)probe_pagemap_scan(soon());
  (void)probe_last_pid(soon());
  CgroupFacts groups = probe_cgroups();
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(read_or_empty("/proc/self/mountinfo"), mounts);
  std::string group = "/statefork-doctor-" + std::to_string(::getpid());
  EXPECT_FALSE(exists(groups.layout.unified + group));
  for (const auto& [controller, mount] : groups.layout.v1)
    EXPECT_FALSE(exists(mount + group)) << controller;
}

TEST(RunProgramTest, OutputAndExitStatusAreKept) {
  auto output = run_program({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, soon());
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->text, "out\nerr\n");
  EXPECT_EQ(output->status.code, 3);
}

TEST(RunProgramTest, AProgramThatDoesNotEndIsKilledAtTheDeadline) {
  auto output = run_program({"/bin/sleep", "100"}, Deadline::after(milliseconds(20)));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kTimedOut);
}

TEST(RunProgramTest, AProgramThatIsNotThereIsAnError) {
  EXPECT_FALSE(run_program({"/no/such/program"}, soon()));
}

}  // namespace
}  // namespace sf::os
