// MemoryCatalog: a catalog in memory.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/branch_tree.h"
#include "control/catalog.h"
#include "control/materialization_policy.h"
#include "testing/fuse.h"

namespace sf::test {

class MemoryCatalog final : public control::Catalog {
 public:
  explicit MemoryCatalog(Fuse* fuse = nullptr) : fuse_(fuse) {}

  Status append(const control::Change& change) override;

  // The records that a newly started process would find.
  std::optional<control::SessionImage> load(const control::SessionId& id) const;
  // Changes a record, as if another version had written it.
  Status rewrite(const control::SessionId& id,
                 const std::function<void(control::SessionImage&)>& change);
  std::vector<std::string> operations() const;  // of all changes, in order
  std::vector<control::CostSample> costs() const;

 private:
  Fuse* fuse_;
  mutable std::mutex mutex_;
  std::map<control::SessionId, control::BranchTree> sessions_;
  std::vector<std::string> operations_;
  std::vector<control::CostSample> costs_;
};

}  // namespace sf::test
