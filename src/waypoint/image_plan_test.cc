#include "waypoint/image_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "os/btrfs.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20U;
constexpr std::uint64_t kGiB = 1ULL << 30U;

RoomFacts roomy() {
  return {.host_bytes = 250 * kGiB,
          .host_free = 80 * kGiB,
          .most = 64 * kGiB,
          .size = os::kLeastBtrfsSize,
          .chunk_end = 100 * kMiB,
          .backed = 3 * kMiB};
}

TEST(ImagePlanTest, AHostWithSpaceGetsASparseFileLargerThanItsContent) {
  ImagePlan plan = plan_image(roomy());
  EXPECT_FALSE(plan.tight);
  EXPECT_EQ(plan.allocate, 0U);
  EXPECT_GE(plan.size, 16 * kGiB);
  EXPECT_LE(plan.size, 17 * kGiB);
}

TEST(ImagePlanTest, TheFileNeverExceedsTheUsersLimit) {
  RoomFacts facts = roomy();
  facts.most = kGiB;
  EXPECT_EQ(plan_image(facts).size, kGiB);
}

TEST(ImagePlanTest, HolesNeverExceedTheHostsFreeBytesMinusTheReserve) {
  RoomFacts facts = roomy();
  facts.host_bytes = 8 * kGiB;
  facts.host_free = 3 * kGiB;
  ImagePlan plan = plan_image(facts);
  EXPECT_FALSE(plan.tight);
  EXPECT_LE(plan.size - facts.backed, facts.host_free - host_reserve(facts.host_bytes));
}

TEST(ImagePlanTest, AHostWithLittleSpaceGetsAFileWithoutHolesAndASmallTail) {
  RoomFacts facts = roomy();
  facts.host_free = kGiB + 100 * kMiB;
  facts.size = 16 * kGiB;
  facts.chunk_end = 2 * kGiB;
  facts.backed = kGiB + 900 * kMiB;
  ImagePlan plan = plan_image(facts);
  EXPECT_TRUE(plan.tight);
  EXPECT_EQ(plan.allocate, plan.size);
  EXPECT_GE(plan.size, facts.chunk_end);
  EXPECT_LE(plan.size, facts.chunk_end + 256 * kMiB);
}

TEST(ImagePlanTest, AHostAtItsReserveGetsNoLargerFile) {
  RoomFacts facts = roomy();
  facts.host_free = host_reserve(facts.host_bytes) / 2;
  facts.size = facts.backed = 3 * kGiB;
  facts.chunk_end = 3 * kGiB - 8 * kMiB;
  ImagePlan plan = plan_image(facts);
  EXPECT_EQ(plan.size, 3 * kGiB);
  EXPECT_EQ(plan.allocate, 0U);
}

TEST(ImagePlanTest, OnlySpaceForImmediateWritesIsTakenFromTheReserve) {
  RoomFacts facts = roomy();
  facts.host_bytes = kGiB;
  facts.host_free = 100 * kMiB;  // 36 MiB above the reserve
  facts.size = os::kLeastBtrfsSize;
  facts.chunk_end = 60 * kMiB;
  EXPECT_EQ(plan_image(facts).allocate, 60 * kMiB);
  facts.chunk_end = 20 * kMiB;
  EXPECT_EQ(plan_image(facts).allocate, facts.backed + 36 * kMiB);
}

TEST(ImagePlanTest, ASmallDifferenceCausesNoResize) {
  RoomFacts facts = roomy();
  facts.size = plan_image(facts).size;
  facts.chunk_end += 8 * kMiB;
  EXPECT_EQ(plan_image(facts).size, facts.size);
}

TEST(ImagePlanTest, AFileTooSmallToBeResizedKeepsItsSize) {
  RoomFacts facts = roomy();
  facts.size = facts.most = 128 * kMiB;
  EXPECT_EQ(plan_image(facts).size, 128 * kMiB);
}

RC_GTEST_PROP(ImagePlanPropertyTest, PlansCutNoChunkAndExceedNoHostSpace, ()) {
  auto up_to = [](std::uint64_t most) { return *rc::gen::inRange<std::uint64_t>(0, most + 1); };
  RoomFacts facts;
  facts.host_bytes = kGiB / 2 + up_to(300 * kGiB);
  facts.host_free = up_to(facts.host_bytes);
  facts.most = os::kLeastBtrfsSize + up_to(64 * kGiB);
  facts.size = os::kLeastBtrfsSize + up_to(64 * kGiB);
  facts.chunk_end = up_to(facts.size);
  facts.backed = up_to(facts.size);
  const ImagePlan plan = plan_image(facts);
  RC_ASSERT(plan.size >= std::min(facts.chunk_end, facts.size));
  const std::uint64_t reserve = host_reserve(facts.host_bytes);
  const std::uint64_t spare = facts.host_free > reserve ? facts.host_free - reserve : 0;
  const std::uint64_t least = std::max(os::kLeastBtrfsSize, facts.chunk_end + 4 * kMiB);
  RC_ASSERT(plan.size <= std::max(facts.backed + spare, least));
  if (plan.size > facts.size) RC_ASSERT(plan.size <= std::max(facts.most, least));
  const std::uint64_t bearable = facts.backed + spare;
  RC_ASSERT(plan.allocate <= std::max(bearable, facts.chunk_end + 4 * kMiB));
  if (plan.tight && facts.backed < std::min(plan.size, bearable)) RC_ASSERT(plan.allocate > 0);
}

}  // namespace
}  // namespace sf::waypoint
