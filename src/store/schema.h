// Schema: the tables of the catalog, by version, and the steps from each version to the next.
// docs/formats/catalog.md describes the tables.
#pragma once

#include <span>

#include "base/result.h"
#include "store/database.h"

namespace sf::store {

// "SFca": identifies our files, also to file(1).
inline constexpr std::int64_t kApplicationId = 0x53466361;

// Upgrades a catalog of the previous version to `version`. The first step starts from an empty
// file.
struct SchemaStep {
  int version = 0;
  const char* sql = nullptr;
};

// All steps, in order. A released step never changes.
std::span<const SchemaStep> schema_steps();

Result<int> schema_version(Database& db);

// Runs the missing steps, each in its own transaction, so that a crash between them leaves a
// complete catalog of some version. kUnsupported if the file is newer than the last step. Requires:
// foreign keys are not enforced yet (a step may rebuild a table).
Status migrate(Database& db, std::span<const SchemaStep> steps);

}  // namespace sf::store
