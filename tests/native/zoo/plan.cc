#include "plan.h"

#include <algorithm>

namespace zoo {
namespace {

bool names(const std::string& list, std::string_view one) {
  return list == "all" ||
         ("," + list + ",").find("," + std::string(one) + ",") != std::string::npos;
}

// True if one process cannot hold both kinds.
bool exclude(const Kind& one, const Kind& other) {
  bool is_same = one.is_single && one.name == other.name;
  return is_same ||
         (one.rights != Rights::kAny && other.rights != Rights::kAny && one.rights != other.rights);
}

}  // namespace

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (auto family : {memory_kinds, shared_memory_kinds, file_kinds, lock_kinds, pipe_kinds,
                      event_kinds, unix_kinds, internet_kinds, signal_kinds, timer_kinds,
                      thread_kinds, child_kinds, standing_kinds, habit_kinds}) {
    std::vector<Kind> some = family();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<NodePlan> make_plan(std::uint64_t seed, const std::string& kept,
                                const std::string& kinds) {
  Chance chance(seed);
  std::vector<Kind> choice = all_kinds();
  std::erase_if(choice, [&](const Kind& kind) { return !names(kinds, kind.name); });
  if (choice.empty()) die("no such kind: " + kinds);
  std::vector<NodePlan> plan(1 + chance.below(6U));
  int number = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    NodePlan& node = plan[i];
    if (i > 0) node.parent = static_cast<int>(chance.below(i));
    node.birth = chance.of({Birth::kChild, Birth::kChild, Birth::kGroup, Birth::kSession,
                            Birth::kOrphan, Birth::kOrphanSession});
    node.rest =
        chance.of({Rest::kRead, Rest::kPoll, Rest::kPollForLong, Rest::kSelect, Rest::kSet});
    std::size_t count = 2 + chance.below(8U);
    for (std::size_t n = 0; n < count; ++n) {
      Item item{number++, choice[chance.below(choice.size())], seed * 1000 + chance.below(1000U)};
      bool fits = std::ranges::none_of(
          node.items, [&](const Item& other) { return exclude(item.kind, other.kind); });
      if (fits) node.items.push_back(item);
    }
  }
  for (NodePlan& node : plan)
    std::erase_if(node.items,
                  [&](const Item& item) { return !names(kept, std::to_string(item.number)); });
  return plan;
}

std::string describe(const std::vector<NodePlan>& plan) {
  std::string text;
  for (const NodePlan& node : plan)
    for (const Item& item : node.items)
      text += std::to_string(item.number) + " " + std::string(item.kind.name) + "\n";
  return text;
}

}  // namespace zoo
