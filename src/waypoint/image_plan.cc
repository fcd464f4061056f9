#include "waypoint/image_plan.h"

#include <algorithm>

#include "os/btrfs.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20U;
constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr std::uint64_t kGrain = 4 * kMiB;
constexpr std::uint64_t kWideTail = 16 * kGiB;
constexpr std::uint64_t kComfort = 512 * kMiB;  // least space above the reserve that allows holes

// The space after the last chunk that stays allocated while the host has little space: more than
// sessions write between two looks.
std::uint64_t narrow_tail(std::uint64_t host_bytes) {
  return std::clamp(host_bytes / 16, 32 * kMiB, 256 * kMiB);
}

std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }

}  // namespace

std::uint64_t host_reserve(std::uint64_t host_bytes) {
  return std::clamp(host_bytes / 16, 64 * kMiB, kGiB);
}

ImagePlan plan_image(const RoomFacts& facts) {
  const std::uint64_t reserve = host_reserve(facts.host_bytes);
  const std::uint64_t narrow = narrow_tail(facts.host_bytes);
  const bool tight = facts.host_free < reserve + std::max(4 * narrow, kComfort);
  const std::uint64_t spare = facts.host_free > reserve ? facts.host_free - reserve : 0;
  const std::uint64_t bearable = facts.backed + spare;  // the most that the rule allows
  const std::uint64_t chunks = rounded_up(facts.chunk_end);
  const std::uint64_t least = std::max(os::kLeastBtrfsSize, chunks);
  const std::uint64_t useful = facts.chunk_end + (tight ? narrow : kWideTail);
  std::uint64_t size = std::min({facts.most, bearable, useful}) / kGrain * kGrain;
  size = std::max(size, least);
  if (facts.size < os::kLeastBtrfsSize) size = facts.size;  // never resized
  // A resize costs a transaction of the file system, so ignore small differences.
  const std::uint64_t tail = facts.size - std::min(facts.size, facts.chunk_end);
  if (size > facts.size && size - facts.size < narrow && tail >= narrow / 2) size = facts.size;
  if (size < facts.size && facts.size - size < narrow && facts.size <= bearable) size = facts.size;
  if (!tight) return {.size = size};
  // Allocate the space that sessions can write to immediately, even if that uses the reserve.
  const std::uint64_t needed = std::min(size, std::max(chunks, bearable));
  return {.size = size, .allocate = facts.backed < needed ? needed : 0, .tight = true};
}

}  // namespace sf::waypoint
