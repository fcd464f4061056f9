// Plan: the processes of a tree, how each is created and what each holds. Pure: computed from a
// seed. Items are numbered; leaving some out does not change the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resource.h"

namespace zoo {

enum class Birth { kChild, kGroup, kSession, kOrphan, kOrphanSession };
enum class Rest { kRead, kPoll, kPollForLong, kSelect, kSet };  // how a node waits for requests

struct Item {
  int number = 0;
  Kind kind;
  std::uint64_t seed = 0;
};

struct NodePlan {
  int parent = -1;  // -1 for the root
  Birth birth = Birth::kChild;
  Rest rest = Rest::kRead;
  std::vector<Item> items;
};

// `kept`: item numbers separated by commas, or "all". `kinds`: names of the kinds to choose from,
// in the same form.
std::vector<NodePlan> make_plan(std::uint64_t seed, const std::string& kept,
                                const std::string& kinds);
std::string describe(const std::vector<NodePlan>& plan);

}  // namespace zoo
