#include "engine/native/speculation_blockers.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace sf::waypoint::native {
namespace {

TreeImage one_process() {
  TreeImage tree;
  tree.processes.emplace_back().pid = 7;
  return tree;
}

TEST(SpeculationBlockersTest, ATreeWithoutRunningTimersMayBePrerestored) {
  TreeImage tree = one_process();
  tree.processes[0].posix_timers.emplace_back();  // made, and not set
  FileImage& timer = tree.files.emplace_back();
  timer.kind = FileKind::kEvent;
  timer.event = {EventKind::kTimer, {1, 3, 9, 9, 0, 0}, {}};  // expired; not set
  tree.inodes.emplace_back().extents.push_back({0, 1U << 20U, 0, 0});
  EXPECT_EQ(reason_not_to_speculate(tree, true), std::nullopt);
}

TEST(SpeculationBlockersTest, AlarmsAndTimersAreNamedWithTheirProcess) {
  TreeImage tree = one_process();
  tree.processes[0].timers[0].it_value.tv_usec = 1;
  EXPECT_EQ(reason_not_to_speculate(tree, true), "process 7 has a running alarm");
  tree = one_process();
  tree.processes[0].posix_timers.emplace_back().times = {0, 0, 5, 0};
  EXPECT_EQ(reason_not_to_speculate(tree, true), "process 7 has a running timer");
}

TEST(SpeculationBlockersTest, ATimerfdThatIsSetIsABlocker) {
  TreeImage tree = one_process();
  FileImage& timer = tree.files.emplace_back();
  timer.kind = FileKind::kEvent;
  timer.event = {EventKind::kTimer, {1, 0, 0, 0, 0, 1}, {}};
  EXPECT_EQ(reason_not_to_speculate(tree, true), "a timerfd is running");
}

TEST(SpeculationBlockersTest, LargeImagesAreNotPrerestored) {
  TreeImage tree = one_process();
  tree.inodes.emplace_back().extents.push_back({0, 40U << 20U, 0, 0});
  tree.ipc.segments.emplace_back().extents.push_back({0, 40U << 20U, 0, 0});
  EXPECT_EQ(reason_not_to_speculate(tree, true), "it would load too much memory");
}

TEST(SpeculationBlockersTest, MemoryLoadedOnDemandDoesNotCount) {
  TreeImage tree = one_process();
  Mapping& heap = tree.processes[0].mappings.emplace_back();
  heap.start = 1U << 30U;
  heap.end = heap.start + (100U << 20U);
  heap.protection = PROT_READ | PROT_WRITE;
  heap.flags = MAP_PRIVATE | MAP_ANONYMOUS;
  tree.processes[0].pages.push_back({heap.start, 100U << 20U, 0, 0});
  EXPECT_EQ(reason_not_to_speculate(tree, true), std::nullopt);
  EXPECT_EQ(reason_not_to_speculate(tree, false), "it would load too much memory");
}

}  // namespace
}  // namespace sf::waypoint::native
