// LiveBackend::diff: compares two live branches.
//
// A snapshot is restored for it. A live branch is copied: the copy is consistent, and asking its
// shell for the environment does not disturb the original. Copies run during the comparison, as
// every restored state does, and are ended after it.
#include <optional>
#include <utility>
#include <variant>

#include "backends/live_backend.h"
#include "backends/shell_environment.h"
#include "backends/state_view.h"
#include "backends/tree_diff.h"
#include "base/scope_exit.h"

namespace sf::backends {

using control::BranchHandle;
using control::DiffSide;
using control::PhysicalRef;

Result<BranchHandle> LiveBackend::copy(const BranchHandle& branch) {
  auto taken = waypoint_->checkpoint(waypoint::BranchId(branch.value()));
  if (!taken) return explain(branch, std::move(taken).error());
  ScopeExit forget([&] { (void)waypoint_->remove(taken->id); });
  return handle_of(std::move(waypoint_->fork(taken->id, 1).front()));
}

namespace {

struct Side {
  BranchHandle branch;
  bool ours = false;  // a copy: ended later; its shell may be used
};

}  // namespace

Result<control::StateDiff> LiveBackend::diff(const DiffSide& from, const DiffSide& to) {
  std::vector<BranchHandle> copies;
  ScopeExit end_copies([&] {
    for (const BranchHandle& branch : copies) (void)end(branch);
  });
  auto open = [&](const DiffSide& wanted) -> Result<Side> {
    if (const auto* ref = std::get_if<PhysicalRef>(&wanted)) {
      SF_TRY_ASSIGN(BranchHandle made, std::move(fork(*ref, 1).front()));
      copies.push_back(made);
      return Side{made, true};
    }
    const BranchHandle& live = std::get<BranchHandle>(wanted);
    Result<BranchHandle> made = copy(live);
    if (!made && made.error().code == ErrorCode::kSessionLost) return std::move(made).error();
    if (!made) return Side{live, false};  // cannot be captured: compare the branch itself
    copies.push_back(*made);
    return Side{*made, true};
  };
  struct Seen {
    FileSide files;
    StateView view;
  };
  auto see = [&](const Side& side) -> Result<Seen> {
    SF_TRY_ASSIGN(waypoint::BranchPids found, pids(side.branch));
    SF_TRY_ASSIGN(std::string changed,
                  waypoint_->changed_files(waypoint::BranchId(side.branch.value())));
    SF_TRY_ASSIGN(os::InRoot root,
                  os::InRoot::open("/proc/" + std::to_string(found.init) + "/root"));
    SF_TRY_ASSIGN(os::InRoot upper, os::InRoot::open(changed));
    Seen seen{{std::move(root), std::move(upper)}, {}};
    if (!preserves().has(control::Preserves::kShell)) return seen;
    seen.view = look_at(found, config_of(side.branch).network);
    if (!side.ours) return seen;
    auto printed = waypoint_->exec(waypoint::BranchId(side.branch.value()),
                                   {.command = "\\builtin export -p", .timeout = seconds(10)});
    if (printed && !printed->truncated) seen.view.environment = exported_variables(printed->output);
    return seen;
  };
  SF_TRY_ASSIGN(Side before, open(from));
  SF_TRY_ASSIGN(Side after, open(to));
  SF_TRY_ASSIGN(Seen a, see(before));
  SF_TRY_ASSIGN(Seen b, see(after));
  control::StateDiff diff;
  compare_trees(a.files, b.files, {}, diff);
  if (preserves().has(control::Preserves::kShell)) compare_views(a.view, b.view, diff);
  return diff;
}

}  // namespace sf::backends
