// Schema: the tables of the catalog, by version, and the steps from one to the next.
// What they mean is written in docs/formats/catalog.md.
#pragma once

#include <span>

#include "base/result.h"
#include "store/database.h"

namespace sf::store {

// "SFca": by this, file(1) and we know the file for ours.
inline constexpr std::int64_t kApplicationId = 0x53466361;

// Brings a catalog of the version before to `version`. The first step starts from an empty file.
struct SchemaStep {
  int version = 0;
  const char* sql = nullptr;
};

// All steps there ever were, in order. A step that was released is never changed again.
std::span<const SchemaStep> schema_steps();

Result<int> schema_version(Database& db);

// Takes the steps that are missing, each in a transaction of its own, so that a crash in between
// leaves a whole catalog of some version. kUnsupported when the file is newer than the last step.
// Requires: foreign keys are not enforced yet (a step may have to rebuild a table).
Status migrate(Database& db, std::span<const SchemaStep> steps);

}  // namespace sf::store
