// Plan: which processes there are, how each is born and what each holds. Pure: made from a seed.
// Items are numbered through; leaving some out changes nothing about the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resource.h"

namespace zoo {

enum class Birth { kChild, kGroup, kSession, kOrphan, kOrphanSession };
enum class Rest { kRead, kPoll, kPollForLong, kSelect, kSet };  // how it waits for requests

struct Item {
  int number = 0;
  Kind kind;
  std::uint64_t seed = 0;
};

struct NodePlan {
  int parent = -1;  // the first has none
  Birth birth = Birth::kChild;
  Rest rest = Rest::kRead;
  std::vector<Item> items;
};

// `kept` holds numbers, separated by commas; "all" keeps all. `kinds`: likewise by name, what to
// choose from.
std::vector<NodePlan> make_plan(std::uint64_t seed, const std::string& kept,
                                const std::string& kinds);
std::string describe(const std::vector<NodePlan>& plan);

}  // namespace zoo
