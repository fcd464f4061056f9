#include "store/space_reserve_rule.h"

#include <algorithm>

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else

constexpr std::size_t kSmallEntry = 16U << 10U;

ReserveUse of_entry(const LogEntry& entry) {
  return entry.text.size() + entry.content.size() <= kSmallEntry ? ReserveUse::kHalf
                                                                 : ReserveUse::kNone;
}

struct Use {
  ReserveUse operator()(const edit::EndSession&) const { return ReserveUse::kAll; }
  ReserveUse operator()(const edit::RemoveNodes&) const { return ReserveUse::kAll; }
  ReserveUse operator()(const edit::RemoveBranch&) const { return ReserveUse::kAll; }
  ReserveUse operator()(const edit::LoseBranch&) const { return ReserveUse::kAll; }
  ReserveUse operator()(const edit::CancelEntry&) const { return ReserveUse::kAll; }
  ReserveUse operator()(const edit::SetPhysical& e) const {
    return e.physical ? ReserveUse::kNone : ReserveUse::kAll;
  }
  ReserveUse operator()(const edit::BeginEntry& e) const { return of_entry(e.entry); }
  ReserveUse operator()(const edit::FinishEntry& e) const { return of_entry(e.entry); }
  ReserveUse operator()(const edit::MoveBranch&) const { return ReserveUse::kHalf; }
  template <typename Other>
  ReserveUse operator()(const Other&) const {
    return ReserveUse::kNone;
  }
};

}  // namespace

ReserveUse reserve_use(const Change& change) {
  ReserveUse use = ReserveUse::kAll;
  for (const Edit& edit : change.edits) use = std::min(use, std::visit(Use{}, edit));
  return use;
}

}  // namespace sf::store
